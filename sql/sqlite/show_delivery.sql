SELECT * FROM delivery_shown WHERE delivery_key = ?1
