INSERT INTO key_record (tenant, caller, operation, key_hash, event_key, answered_duplicate, created_at_ms)
VALUES (?1, ?2, 1, ?3, ?4, ?5, ?6)
