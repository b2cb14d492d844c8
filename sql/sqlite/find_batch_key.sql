SELECT b.batch, b.content FROM key_record AS k JOIN batch AS b ON b.batch = k.batch
WHERE k.tenant = ?1 AND k.caller = ?2 AND k.operation = 2 AND k.key_hash = ?3
