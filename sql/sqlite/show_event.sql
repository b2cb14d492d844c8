SELECT e.event_key, e.id, e.type, e.envelope, l.ordering_key, e.sequence, e.correlation_id, e.accepted_at_ms
FROM event AS e LEFT JOIN line AS l ON l.line_key = e.line_key
WHERE e.event_key = ?1
