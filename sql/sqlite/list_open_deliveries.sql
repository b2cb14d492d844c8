-- Open ones, and dead ones of a line on a per-key endpoint, which hold back what comes later: what the dispatcher keeps
-- in memory.
SELECT * FROM delivery WHERE delivery_key IN (
  SELECT delivery_key FROM (
    SELECT delivery_key FROM delivery INDEXED BY delivery_open WHERE state < 7 AND delivery_key > ?1
    UNION ALL
    SELECT d.delivery_key
    FROM delivery AS d INDEXED BY delivery_dead JOIN endpoint AS p ON p.endpoint_key = d.endpoint_key
    WHERE d.state = 8 AND d.delivery_key > ?1 AND d.line_key IS NOT NULL AND p.ordering = 1
    ORDER BY delivery_key LIMIT ?2))
ORDER BY delivery_key
