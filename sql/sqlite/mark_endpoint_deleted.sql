UPDATE endpoint SET version = version + 1, deleted_at_ms = ?2 WHERE endpoint_key = ?1
