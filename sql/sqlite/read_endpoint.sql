SELECT endpoint_key, tenant, id, version, config, created_at_ms, deleted_at_ms FROM endpoint WHERE endpoint_key = ?1
