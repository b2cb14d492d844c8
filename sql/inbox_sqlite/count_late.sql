SELECT count(*) FROM semel_inbox_late l JOIN semel_inbox_source s USING (source) WHERE s.consumer = ?1
