SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'semel_inbox_schema'
