SELECT round FROM attempt WHERE tenant = ?1 AND delivery_key = ?2 AND number = ?3
