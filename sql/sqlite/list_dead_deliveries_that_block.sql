-- Dead ones that hold back an open one of their line. Not one query with list_open_deliveries: SQLite 3.40.1 answers
-- the EXISTS wrongly where such a UNION ALL stands inside an IN.
SELECT d.*
FROM delivery AS d INDEXED BY delivery_dead JOIN endpoint AS p ON p.endpoint_key = d.endpoint_key
WHERE d.state = 8 AND d.delivery_key > ?1 AND d.line_key IS NOT NULL AND p.ordering = 1 AND EXISTS (
  SELECT 1 FROM delivery AS o
  WHERE o.tenant = d.tenant AND o.endpoint_key = d.endpoint_key AND o.line_key = d.line_key
    AND o.line_key IS NOT NULL AND (o.state < 7 OR o.state = 8) AND o.state < 7 AND o.sequence > d.sequence)
ORDER BY d.delivery_key LIMIT ?2
