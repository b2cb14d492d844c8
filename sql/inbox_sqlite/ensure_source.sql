INSERT INTO semel_inbox_source (consumer, name) VALUES (?1, ?2)
ON CONFLICT (consumer, name) DO UPDATE SET name = name RETURNING source
