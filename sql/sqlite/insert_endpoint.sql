INSERT INTO endpoint (tenant, id, version, ordering, config, created_at_ms) VALUES (?1, ?2, 1, ?3, ?4, ?5)
