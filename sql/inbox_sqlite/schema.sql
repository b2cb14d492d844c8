-- What an inbox keeps, beside the tables of the application whose effects it guards; version 1 (semel_inbox_schema).
--
-- A source is the configured name of a signing secret within a consumer. An absent endpoint (a body of another sender)
-- is the empty text. Records, parked and late events end with the dedup retention; positions and entity versions never.

CREATE TABLE IF NOT EXISTS semel_inbox_schema (
  version INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS semel_inbox_consumer (
  consumer          INTEGER PRIMARY KEY,
  name              TEXT    NOT NULL UNIQUE,
  purged_through_ms INTEGER,  -- the newest accepted_at_ms whose record was purged
  parked_now        INTEGER NOT NULL DEFAULT 0 CHECK (parked_now >= 0),
  parked_ever       INTEGER NOT NULL DEFAULT 0 CHECK (parked_ever >= parked_now)
) STRICT;

CREATE TABLE IF NOT EXISTS semel_inbox_source (
  source   INTEGER PRIMARY KEY,
  consumer INTEGER NOT NULL,
  name     TEXT    NOT NULL,
  UNIQUE (consumer, name)
) STRICT;

-- The dedup record, one row per endpoint through which the event was judged. Applied through one is applied.
CREATE TABLE IF NOT EXISTS semel_inbox_record (
  source         INTEGER NOT NULL,
  event_id       TEXT    NOT NULL,
  endpoint       TEXT    NOT NULL,
  state          INTEGER NOT NULL CHECK (state IN (1, 2)),  -- applied, rejected by the application
  round          INTEGER NOT NULL CHECK (round > 0),        -- the highest it was judged in
  reason         TEXT,
  accepted_at_ms INTEGER NOT NULL,  -- what purging goes by; of foreign bodies the time of arrival
  judged_at_ms   INTEGER NOT NULL,
  PRIMARY KEY (source, event_id, endpoint),
  CHECK ((state = 2) = (reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS semel_inbox_record_by_age ON semel_inbox_record (source, accepted_at_ms);
CREATE INDEX IF NOT EXISTS semel_inbox_record_rejected ON semel_inbox_record (source) WHERE state = 2;

-- The last applied sequence of each line.
CREATE TABLE IF NOT EXISTS semel_inbox_position (
  source       INTEGER NOT NULL,
  endpoint     TEXT    NOT NULL,
  ordering_key TEXT    NOT NULL,
  sequence     INTEGER NOT NULL CHECK (sequence > 0),
  PRIMARY KEY (source, endpoint, ordering_key)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER IF NOT EXISTS semel_inbox_position_never_falls BEFORE UPDATE ON semel_inbox_position
WHEN NEW.sequence < OLD.sequence BEGIN
  SELECT RAISE(ABORT, 'a position never falls');
END;

CREATE TABLE IF NOT EXISTS semel_inbox_parked (
  parked         INTEGER PRIMARY KEY,
  consumer       INTEGER NOT NULL,
  source         INTEGER NOT NULL,
  endpoint       TEXT    NOT NULL,
  event_id       TEXT    NOT NULL,
  ordering_key   TEXT    NOT NULL,
  sequence       INTEGER NOT NULL CHECK (sequence > 0),
  after_sequence INTEGER NOT NULL CHECK (after_sequence >= 0 AND after_sequence < sequence),  -- the lowest received
  round          INTEGER NOT NULL CHECK (round > 0),                                          -- the highest received
  parked_at_ms   INTEGER NOT NULL,
  body           BLOB    NOT NULL,
  UNIQUE (source, event_id, endpoint)
) STRICT;

CREATE INDEX IF NOT EXISTS semel_inbox_parked_by_line
  ON semel_inbox_parked (source, endpoint, ordering_key, after_sequence, sequence);

CREATE TRIGGER IF NOT EXISTS semel_inbox_parked_counts AFTER INSERT ON semel_inbox_parked BEGIN
  UPDATE semel_inbox_consumer SET parked_now = parked_now + 1, parked_ever = parked_ever + 1
  WHERE consumer = NEW.consumer;
END;

CREATE TRIGGER IF NOT EXISTS semel_inbox_parked_ends AFTER DELETE ON semel_inbox_parked BEGIN
  UPDATE semel_inbox_consumer SET parked_now = parked_now - 1 WHERE consumer = OLD.consumer;
END;

-- Refused because their line had passed them: for a person to see.
CREATE TABLE IF NOT EXISTS semel_inbox_late (
  source        INTEGER NOT NULL,
  event_id      TEXT    NOT NULL,
  endpoint      TEXT    NOT NULL,
  ordering_key  TEXT    NOT NULL,
  sequence      INTEGER NOT NULL,
  arrived_at_ms INTEGER NOT NULL,
  PRIMARY KEY (source, event_id, endpoint)
) STRICT, WITHOUT ROWID;

-- The version at which each entity stands.
CREATE TABLE IF NOT EXISTS semel_inbox_entity (
  source  INTEGER NOT NULL,
  entity  TEXT    NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 0),
  PRIMARY KEY (source, entity)
) STRICT, WITHOUT ROWID;
