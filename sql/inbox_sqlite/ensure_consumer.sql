INSERT INTO semel_inbox_consumer (name) VALUES (?1) ON CONFLICT (name) DO UPDATE SET name = name RETURNING consumer
