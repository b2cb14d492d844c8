INSERT INTO endpoint_secret (tenant, endpoint_key, number, sealed) VALUES (?1, ?2, ?3, ?4)
