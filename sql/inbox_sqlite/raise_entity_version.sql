INSERT INTO semel_inbox_entity (source, entity, version) VALUES (?1, ?2, ?3)
ON CONFLICT (source, entity) DO UPDATE SET version = excluded.version WHERE version < excluded.version
