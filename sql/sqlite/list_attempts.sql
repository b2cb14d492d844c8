SELECT a.number, a.round, a.counts, a.started_at_ms, o.late, o.at_ms, o.result, o.failure, o.http_status, o.reason
FROM attempt AS a
LEFT JOIN attempt_outcome AS o ON o.tenant = a.tenant AND o.delivery_key = a.delivery_key AND o.number = a.number
WHERE a.tenant = (SELECT tenant FROM delivery WHERE delivery_key = ?1) AND a.delivery_key = ?1
ORDER BY a.number, o.late
