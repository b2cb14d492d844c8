-- In the order of the table itself: an index would have to be sorted for each page.
SELECT event_key FROM event NOT INDEXED
WHERE event_key > ?2 AND tenant = ?1 AND (?3 IS NULL OR type = ?3) AND (?4 IS NULL OR accepted_at_ms >= ?4)
ORDER BY event_key LIMIT ?5
