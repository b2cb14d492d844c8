DELETE FROM semel_inbox_parked WHERE parked IN (
  SELECT parked FROM semel_inbox_parked WHERE source = ?1 AND parked_at_ms < ?2 LIMIT ?3)
