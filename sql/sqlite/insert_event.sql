INSERT INTO event (tenant, id, fingerprint, type, line_key, sequence, correlation_id, accepted_at_ms, data_offset, envelope)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
