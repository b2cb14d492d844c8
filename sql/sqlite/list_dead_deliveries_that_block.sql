-- Dead ones of a line on a per-key endpoint: they hold back what comes later, also what is not there yet.
SELECT d.*
FROM delivery AS d INDEXED BY delivery_dead JOIN endpoint AS p ON p.endpoint_key = d.endpoint_key
WHERE d.state = 8 AND d.delivery_key > ?1 AND d.line_key IS NOT NULL AND p.ordering = 1
ORDER BY d.delivery_key LIMIT ?2
