SELECT purged_through_ms, parked_now, parked_ever FROM semel_inbox_consumer WHERE consumer = ?1
