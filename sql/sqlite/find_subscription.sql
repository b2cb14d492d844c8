SELECT subscription_key, endpoint_key FROM subscription WHERE tenant = ?1 AND id = ?2
