-- Of live endpoints only.
SELECT s.endpoint_key, s.event_types, p.id
FROM subscription AS s JOIN endpoint AS p ON p.endpoint_key = s.endpoint_key
WHERE s.tenant = ?1 AND p.deleted_at_ms IS NULL
ORDER BY s.subscription_key
