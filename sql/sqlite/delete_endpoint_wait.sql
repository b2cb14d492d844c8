DELETE FROM endpoint_wait WHERE tenant = ?1 AND endpoint_key = ?2
