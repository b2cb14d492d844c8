UPDATE line_tail SET highest_delivered = ?4
WHERE tenant = ?1 AND endpoint_key = ?2 AND line_key = ?3 AND highest_delivered < ?4
