INSERT INTO batch_item (tenant, batch, position, event_key, answered_duplicate, refused_why, refused_expected)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
