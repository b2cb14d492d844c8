INSERT INTO semel_inbox_parked
  (consumer, source, endpoint, event_id, ordering_key, sequence, after_sequence, round, parked_at_ms, body)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
ON CONFLICT (source, event_id, endpoint) DO UPDATE
SET after_sequence = min(after_sequence, excluded.after_sequence), round = max(round, excluded.round)
