DELETE FROM api_key WHERE id = ?1
