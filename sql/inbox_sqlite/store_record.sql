-- Applied stays applied; a rejection is replaced by what the same endpoint was told in a higher round.
INSERT INTO semel_inbox_record (source, event_id, endpoint, state, round, reason, accepted_at_ms, judged_at_ms)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
ON CONFLICT (source, event_id, endpoint) DO UPDATE
SET state = excluded.state, round = excluded.round, reason = excluded.reason, judged_at_ms = excluded.judged_at_ms
WHERE state = 2
