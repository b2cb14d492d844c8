SELECT delivery_key FROM delivery INDEXED BY delivery_open WHERE state < 7 AND endpoint_key = ?1 ORDER BY delivery_key
