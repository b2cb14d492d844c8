-- Events by what became of them; an event that was applied through any endpoint counts as applied.
SELECT count(*) FILTER (WHERE best = 1), count(*) FILTER (WHERE best = 2)
FROM (SELECT min(r.state) AS best FROM semel_inbox_record r JOIN semel_inbox_source s USING (source)
      WHERE s.consumer = ?1 GROUP BY r.source, r.event_id)
