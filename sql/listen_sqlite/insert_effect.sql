INSERT INTO effect (source, event_id, type, endpoint, ordering_key, sequence, entity_version, data_sha256, data)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
