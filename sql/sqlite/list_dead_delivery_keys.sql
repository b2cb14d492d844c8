SELECT delivery_key FROM delivery INDEXED BY delivery_dead
WHERE state = 8 AND delivery_key > ?2 AND tenant = ?1 AND (?3 IS NULL OR endpoint_key = ?3) AND ?4 = 8
ORDER BY delivery_key LIMIT ?5
