INSERT INTO semel_inbox_late (source, event_id, endpoint, ordering_key, sequence, arrived_at_ms)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (source, event_id, endpoint) DO NOTHING
