UPDATE semel_inbox_consumer SET purged_through_ms = max(coalesce(purged_through_ms, ?2), ?2) WHERE consumer = ?1
