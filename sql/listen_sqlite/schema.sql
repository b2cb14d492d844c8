-- The effects of `semel listen`. No key forbids a second effect of one event: if there ever is one, it must show itself.
CREATE TABLE IF NOT EXISTS effect (
  effect_no      INTEGER PRIMARY KEY,  -- 1, 2, 3, .. in the order in which they were committed
  source         TEXT    NOT NULL,
  event_id       TEXT    NOT NULL,
  type           TEXT    NOT NULL,     -- empty for bodies of other senders
  endpoint       TEXT,
  ordering_key   TEXT,
  sequence       INTEGER,
  entity_version INTEGER,
  data_sha256    TEXT    NOT NULL,     -- of the bytes of `data`, or of a body that has none
  data           BLOB                  -- those bytes, where they are kept
) STRICT;
