SELECT highest_delivered FROM line_tail WHERE tenant = ?1 AND endpoint_key = ?2 AND line_key = ?3
