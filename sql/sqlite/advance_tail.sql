INSERT INTO line_tail (tenant, endpoint_key, line_key, last_sequence) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (tenant, endpoint_key, line_key) DO UPDATE SET last_sequence = excluded.last_sequence
