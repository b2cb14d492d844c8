SELECT endpoint, state, round, reason FROM semel_inbox_record WHERE source = ?1 AND event_id = ?2
