SELECT count(*) FROM semel_inbox_parked WHERE source = ?1 AND endpoint = ?2 AND ordering_key = ?3
