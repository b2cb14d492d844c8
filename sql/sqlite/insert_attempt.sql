INSERT INTO attempt (tenant, delivery_key, number, round, counts, started_at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
