SELECT d.delivery_key
FROM delivery AS d INDEXED BY delivery_open JOIN endpoint AS p ON p.endpoint_key = d.endpoint_key
WHERE d.closed_at_ms IS NULL AND d.delivery_key > ?2 AND d.tenant = ?1 AND (?3 IS NULL OR d.endpoint_key = ?3)
  AND (?4 IS NULL OR d.state = ?4) AND d.state <> 2 AND d.line_key IS NOT NULL AND p.ordering = 1
  AND EXISTS (
    SELECT 1 FROM delivery AS b
    WHERE b.tenant = d.tenant AND b.endpoint_key = d.endpoint_key AND b.line_key = d.line_key
      AND b.line_key IS NOT NULL AND (b.closed_at_ms IS NULL OR b.reason IS NOT NULL)
      AND b.state <> 9 AND b.sequence < d.sequence)
ORDER BY d.delivery_key LIMIT ?5
