INSERT INTO delivery (tenant, event_key, endpoint_key, line_key, sequence, after, next_at_ms)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
