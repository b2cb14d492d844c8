SELECT * FROM delivery WHERE delivery_key = ?1
