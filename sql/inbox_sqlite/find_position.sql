SELECT sequence FROM semel_inbox_position WHERE source = ?1 AND endpoint = ?2 AND ordering_key = ?3
