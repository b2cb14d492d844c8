SELECT d.delivery_key
FROM event AS e JOIN endpoint AS p ON p.tenant = e.tenant AND p.id = ?3
JOIN delivery AS d ON d.tenant = e.tenant AND d.event_key = e.event_key AND d.endpoint_key = p.endpoint_key
WHERE e.tenant = ?1 AND e.id = ?2
