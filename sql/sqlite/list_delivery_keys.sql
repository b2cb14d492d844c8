SELECT delivery_key FROM delivery
WHERE delivery_key > ?2 AND tenant = ?1 AND (?3 IS NULL OR endpoint_key = ?3) AND (?4 IS NULL OR state = ?4)
ORDER BY delivery_key LIMIT ?5
