DELETE FROM semel_inbox_late WHERE (source, event_id, endpoint) IN (
  SELECT source, event_id, endpoint FROM semel_inbox_late WHERE source = ?1 AND arrived_at_ms < ?2 LIMIT ?3)
