SELECT line_key, sequence FROM delivery WHERE delivery_key = ?1 AND line_key IS NOT NULL
