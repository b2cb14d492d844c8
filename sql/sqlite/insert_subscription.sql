INSERT INTO subscription (tenant, id, endpoint_key, event_types, created_at_ms) VALUES (?1, ?2, ?3, ?4, ?5)
