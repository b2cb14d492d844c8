SELECT delivery_key FROM delivery INDEXED BY delivery_open
WHERE closed_at_ms IS NULL AND delivery_key > ?2 AND tenant = ?1 AND (?3 IS NULL OR endpoint_key = ?3) AND state = ?4
ORDER BY delivery_key LIMIT ?5
