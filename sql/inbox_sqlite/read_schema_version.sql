SELECT max(version) FROM semel_inbox_schema
