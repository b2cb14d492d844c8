SELECT delivery_key FROM delivery INDEXED BY delivery_open 
WHERE closed_at_ms IS NULL AND endpoint_key = ?1 ORDER BY delivery_key
