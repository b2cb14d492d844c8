SELECT p.id FROM delivery AS d JOIN endpoint AS p ON p.endpoint_key = d.endpoint_key
WHERE d.tenant = ?1 AND d.event_key = ?2 ORDER BY d.delivery_key
