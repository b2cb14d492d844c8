INSERT INTO attempt_outcome (tenant, delivery_key, number, late, at_ms, result, failure, http_status, reason)
VALUES (?1, ?2, ?3, 0, ?4, ?5, ?6, ?7, ?8)
