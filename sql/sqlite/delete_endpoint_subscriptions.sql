DELETE FROM subscription WHERE tenant = ?1 AND endpoint_key = ?2
