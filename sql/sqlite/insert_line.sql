INSERT INTO line (tenant, ordering_key, numbered_by, last_sequence) VALUES (?1, ?2, ?3, ?4)
