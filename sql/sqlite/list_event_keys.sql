SELECT event_key FROM event
WHERE event_key > ?2 AND tenant = ?1 AND (?3 IS NULL OR type = ?3) AND (?4 IS NULL OR accepted_at_ms >= ?4)
ORDER BY event_key LIMIT ?5
