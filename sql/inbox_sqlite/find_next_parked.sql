-- Of a line's parked events whose turn has come at position ?4 the lowest.
SELECT event_id, after_sequence, round, body FROM semel_inbox_parked
WHERE source = ?1 AND endpoint = ?2 AND ordering_key = ?3 AND after_sequence <= ?4
ORDER BY sequence LIMIT 1
