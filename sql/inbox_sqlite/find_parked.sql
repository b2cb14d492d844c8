SELECT after_sequence FROM semel_inbox_parked WHERE source = ?1 AND event_id = ?2 AND endpoint = ?3
