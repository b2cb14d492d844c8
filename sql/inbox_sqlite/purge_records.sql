DELETE FROM semel_inbox_record WHERE (source, event_id, endpoint) IN (
  SELECT source, event_id, endpoint FROM semel_inbox_record WHERE source = ?1 AND accepted_at_ms < ?2
  ORDER BY accepted_at_ms LIMIT ?3)
RETURNING accepted_at_ms
