SELECT event_key FROM event INDEXED BY event_by_correlation
WHERE tenant = ?1 AND correlation_id IS NOT NULL AND correlation_id = ?6 AND event_key > ?2
  AND (?3 IS NULL OR type = ?3) AND (?4 IS NULL OR accepted_at_ms >= ?4)
ORDER BY event_key LIMIT ?5
