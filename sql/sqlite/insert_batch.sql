INSERT INTO batch (tenant, content) VALUES (?1, ?2)
