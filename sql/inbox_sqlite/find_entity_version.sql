SELECT version FROM semel_inbox_entity WHERE source = ?1 AND entity = ?2
