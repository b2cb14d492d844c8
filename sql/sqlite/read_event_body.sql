SELECT e.event_key, e.id, e.envelope, e.data_offset, l.ordering_key, e.sequence, e.correlation_id, e.type
FROM event AS e LEFT JOIN line AS l ON l.line_key = e.line_key
WHERE e.event_key = ?1
