-- Changes nothing unless the version stands where the caller saw it.
UPDATE delivery SET version = version + 1,
  state = ?5, next_at_ms = ?6, started_at_ms = ?7, counts = ?8, extra_attempt = ?9, closed_at_ms = ?10, reason = ?11,
  round = ?12, attempts = ?13, counted = ?14, clock_origin_ms = ?15, last_delay_ms = ?16, unsettled = ?17,
  parked_since_ms = ?18, parked_asks = ?19, first_delivered_at_ms = ?20
WHERE delivery_key = ?1 AND tenant = ?2 AND endpoint_key = ?3 AND version = ?4
