UPDATE line SET last_sequence = ?2 WHERE line_key = ?1
