SELECT event_key, answered_duplicate FROM key_record
WHERE tenant = ?1 AND caller = ?2 AND operation = 1 AND key_hash = ?3
