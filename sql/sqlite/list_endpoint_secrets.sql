SELECT number, sealed, not_after_ms FROM endpoint_secret WHERE tenant = ?1 AND endpoint_key = ?2 ORDER BY number
