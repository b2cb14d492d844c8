INSERT INTO key_record (tenant, caller, operation, key_hash, batch, created_at_ms) VALUES (?1, ?2, 2, ?3, ?4, ?5)
