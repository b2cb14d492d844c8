INSERT INTO tenant (name, sealed_fingerprint_key, routing_version, allowed_event_types) VALUES (?1, ?2, 1, ?3)
