SELECT endpoint_key, tenant, id, version, config, created_at_ms, deleted_at_ms FROM endpoint
WHERE deleted_at_ms IS NULL AND (?1 IS NULL OR tenant = ?1) ORDER BY endpoint_key
