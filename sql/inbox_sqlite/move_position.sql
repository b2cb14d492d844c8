INSERT INTO semel_inbox_position (source, endpoint, ordering_key, sequence) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (source, endpoint, ordering_key) DO UPDATE SET sequence = excluded.sequence
