INSERT INTO api_key (id, secret_hash, role, tenant, client, event_types, created_at_ms)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
