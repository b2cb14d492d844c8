-- (event, endpoint) pairs whose last word was the application's refusal.
SELECT count(*) FROM semel_inbox_record r JOIN semel_inbox_source s USING (source)
WHERE r.state = 2 AND s.consumer = ?1
