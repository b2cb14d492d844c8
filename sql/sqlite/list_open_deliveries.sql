SELECT * FROM delivery INDEXED BY delivery_open 
WHERE closed_at_ms IS NULL AND delivery_key > ?1 ORDER BY delivery_key LIMIT ?2
