SELECT line_key, numbered_by, last_sequence FROM line WHERE tenant = ?1 AND ordering_key = ?2
