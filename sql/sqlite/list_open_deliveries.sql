SELECT * FROM delivery INDEXED BY delivery_open WHERE state < 7 AND delivery_key > ?1 ORDER BY delivery_key LIMIT ?2
