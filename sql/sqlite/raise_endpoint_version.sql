UPDATE endpoint SET version = version + 1 WHERE endpoint_key = ?1
