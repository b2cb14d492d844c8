-- In the order of the table itself: an index would have to be sorted for each page.
SELECT delivery_key FROM delivery NOT INDEXED
WHERE delivery_key > ?2 AND tenant = ?1 AND (?3 IS NULL OR endpoint_key = ?3) AND (?4 IS NULL OR state = ?4)
ORDER BY delivery_key LIMIT ?5
