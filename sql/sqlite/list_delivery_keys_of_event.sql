SELECT d.delivery_key FROM event AS e JOIN delivery AS d ON d.tenant = e.tenant AND d.event_key = e.event_key
WHERE e.tenant = ?1 AND e.id = ?2 ORDER BY d.delivery_key
