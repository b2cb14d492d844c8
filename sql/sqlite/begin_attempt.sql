-- An attempt begins: move_delivery for the one change that every delivery makes, on the columns it changes only.
UPDATE delivery SET version = version + 1,
  state = 2, next_at_ms = NULL, started_at_ms = ?5, counts = ?6, extra_attempt = NULL, attempts = ?7,
  clock_origin_ms = ?8
WHERE delivery_key = ?1 AND tenant = ?2 AND endpoint_key = ?3 AND version = ?4 AND closed_at_ms IS NULL
