SELECT effect_no, source, event_id, endpoint, ordering_key, sequence, entity_version, data_sha256
FROM effect WHERE effect_no > ?1 ORDER BY effect_no LIMIT ?2
