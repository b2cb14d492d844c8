SELECT last_sequence FROM line_tail WHERE tenant = ?1 AND endpoint_key = ?2 AND line_key = ?3
