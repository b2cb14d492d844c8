-- ?1 a delivery that was delivered; nothing happens when its event has no ordering key.
UPDATE line_tail SET highest_delivered = d.sequence FROM delivery AS d
WHERE d.delivery_key = ?1 AND d.line_key IS NOT NULL
  AND line_tail.tenant = d.tenant AND line_tail.endpoint_key = d.endpoint_key AND line_tail.line_key = d.line_key
  AND line_tail.highest_delivered < d.sequence
