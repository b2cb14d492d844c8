DELETE FROM endpoint_secret WHERE tenant = ?1 AND endpoint_key = ?2
