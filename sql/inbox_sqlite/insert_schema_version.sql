INSERT INTO semel_inbox_schema (version) SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM semel_inbox_schema)
