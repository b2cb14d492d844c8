SELECT DISTINCT p.source, p.endpoint, p.ordering_key
FROM semel_inbox_parked p LEFT JOIN semel_inbox_position at USING (source, endpoint, ordering_key)
WHERE p.consumer = ?1 AND p.after_sequence <= coalesce(at.sequence, 0)
LIMIT ?2
