SELECT endpoint_key, tenant, id, version, config, created_at_ms, deleted_at_ms FROM endpoint WHERE tenant = ?1 AND id = ?2
