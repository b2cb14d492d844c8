SELECT tenant, version FROM endpoint WHERE endpoint_key = ?1 AND deleted_at_ms IS NULL
