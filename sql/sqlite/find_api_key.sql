SELECT role FROM api_key WHERE id = ?1
