SELECT event_key, id, fingerprint, sequence, accepted_at_ms FROM event WHERE tenant = ?1 AND id = ?2
