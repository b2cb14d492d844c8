SELECT event_key, id, fingerprint, sequence, accepted_at_ms FROM event WHERE event_key = ?1
