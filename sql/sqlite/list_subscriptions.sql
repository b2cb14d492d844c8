SELECT s.subscription_key, s.id, p.id, s.event_types, s.created_at_ms
FROM subscription AS s JOIN endpoint AS p ON p.endpoint_key = s.endpoint_key
WHERE s.tenant = ?1 ORDER BY s.subscription_key
