SELECT position, event_key, answered_duplicate, refused_why, refused_expected FROM batch_item
WHERE tenant = ?1 AND batch = ?2 ORDER BY position
