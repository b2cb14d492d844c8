-- An attempt has one worker; a second telling of the same is the same.
INSERT INTO attempt_outcome (tenant, delivery_key, number, late, at_ms, result, failure, http_status, reason)
VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6, ?7, ?8)
ON CONFLICT (tenant, delivery_key, number, late) DO NOTHING
