-- The tables of a store on SQLite, version 1 (PRAGMA user_version).
--
-- Times are milliseconds since 1970 and end in _ms. States, roles and reasons are the integers of the C++ enumerations
-- (src/core); the CHECK constraints repeat the state machine, so that a wrong row cannot be stored. Every unique key of
-- tenant data begins with the tenant. Rows refer to others by integer key; there are no foreign keys, since each row is
-- written in the transaction that wrote or checked what it refers to. Where three values or more would stand in an IN, there
-- are comparisons: SQLite builds a table for such an IN each time a row is written.

CREATE TABLE tenant (
  tenant                 INTEGER PRIMARY KEY,
  name                   TEXT    NOT NULL UNIQUE,
  sealed_fingerprint_key BLOB    NOT NULL,
  routing_version        INTEGER NOT NULL,
  allowed_event_types    TEXT    NOT NULL  -- JSON array of patterns
) STRICT;

CREATE TABLE api_key (
  id             TEXT    PRIMARY KEY,
  secret_hash    BLOB    NOT NULL CHECK (length(secret_hash) = 32),
  role           INTEGER NOT NULL CHECK (role BETWEEN 1 AND 4),
  tenant         INTEGER,          -- none: every tenant
  client         TEXT    NOT NULL,
  event_types    TEXT,             -- JSON array of patterns; none: all
  created_at_ms  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Raised by each process that takes the file; what is written under an older fence changes nothing.
CREATE TABLE shard (
  shard INTEGER PRIMARY KEY CHECK (shard BETWEEN 0 AND 63),
  fence INTEGER NOT NULL CHECK (fence > 0)
) STRICT;

CREATE TABLE endpoint (
  endpoint_key  INTEGER PRIMARY KEY,
  tenant        INTEGER NOT NULL,
  id            TEXT    NOT NULL,
  version       INTEGER NOT NULL CHECK (version > 0),
  ordering      INTEGER NOT NULL CHECK (ordering IN (0, 1)),  -- 1: per key
  config        TEXT    NOT NULL,
  created_at_ms INTEGER NOT NULL,
  deleted_at_ms INTEGER,
  UNIQUE (tenant, id)
) STRICT;

CREATE TABLE endpoint_secret (
  tenant       INTEGER NOT NULL,
  endpoint_key INTEGER NOT NULL,
  number       INTEGER NOT NULL CHECK (number > 0),
  sealed       BLOB    NOT NULL,
  not_after_ms INTEGER,
  PRIMARY KEY (tenant, endpoint_key, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE endpoint_wait (
  tenant       INTEGER NOT NULL,
  endpoint_key INTEGER NOT NULL,
  until_ms     INTEGER NOT NULL,
  step_ms      INTEGER NOT NULL,
  PRIMARY KEY (tenant, endpoint_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE subscription (
  subscription_key INTEGER PRIMARY KEY,
  tenant           INTEGER NOT NULL,
  id               TEXT    NOT NULL,
  endpoint_key     INTEGER NOT NULL,
  event_types      TEXT    NOT NULL,  -- JSON array of patterns
  created_at_ms    INTEGER NOT NULL,
  UNIQUE (tenant, id)
) STRICT;
CREATE INDEX subscription_of_endpoint ON subscription (tenant, endpoint_key);

-- An ordering key of a tenant and the number of its last event. Never purged.
CREATE TABLE line (
  line_key      INTEGER PRIMARY KEY,
  tenant        INTEGER NOT NULL,
  ordering_key  TEXT    NOT NULL,
  numbered_by   INTEGER NOT NULL CHECK (numbered_by IN (1, 2)),
  last_sequence INTEGER NOT NULL CHECK (last_sequence > 0),
  UNIQUE (tenant, ordering_key)
) STRICT;

-- What one endpoint was given of a line: the last event, which the next one names as its predecessor, and the highest
-- one ever delivered. Never purged.
CREATE TABLE line_tail (
  tenant            INTEGER NOT NULL,
  endpoint_key      INTEGER NOT NULL,
  line_key          INTEGER NOT NULL,
  last_sequence     INTEGER NOT NULL,
  highest_delivered INTEGER NOT NULL DEFAULT 0 CHECK (highest_delivered <= last_sequence),
  PRIMARY KEY (tenant, endpoint_key, line_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
  event_key      INTEGER PRIMARY KEY,
  tenant         INTEGER NOT NULL,
  id             TEXT    NOT NULL,
  fingerprint    BLOB    NOT NULL CHECK (length(fingerprint) = 32),
  type           TEXT    NOT NULL,
  line_key       INTEGER,
  sequence       INTEGER,
  correlation_id TEXT,
  accepted_at_ms INTEGER NOT NULL,
  data_offset    INTEGER NOT NULL CHECK (data_offset > 0),
  envelope       BLOB    NOT NULL,
  UNIQUE (tenant, id),
  CHECK ((line_key IS NULL) = (sequence IS NULL))
) STRICT;
CREATE INDEX event_by_correlation ON event (tenant, correlation_id) WHERE correlation_id IS NOT NULL;

-- Event x endpoint, one row for ever. 1 due, 2 in flight, 3 unknown, 4 parked are open; 7 delivered, 8 dead,
-- 9 cancelled are closed. `blocked` is what the view delivery_shown derives.
CREATE TABLE delivery (
  delivery_key          INTEGER PRIMARY KEY,
  tenant                INTEGER NOT NULL,
  event_key             INTEGER NOT NULL,
  endpoint_key          INTEGER NOT NULL,
  line_key              INTEGER,
  sequence              INTEGER,
  after                 INTEGER,
  version               INTEGER NOT NULL DEFAULT 1,
  state                 INTEGER NOT NULL DEFAULT 1 CHECK (state BETWEEN 1 AND 4 OR state BETWEEN 7 AND 9),
  next_at_ms            INTEGER,                    -- due, unknown, parked: when it is sent or asked again
  started_at_ms         INTEGER,                    -- in flight
  counts                INTEGER,                    -- in flight: the attempt uses up the policy
  extra_attempt         INTEGER,                    -- unknown: the next attempt does not
  closed_at_ms          INTEGER,
  reason                TEXT,                       -- dead, cancelled
  round                 INTEGER NOT NULL DEFAULT 1,
  attempts              INTEGER NOT NULL DEFAULT 0, -- started, over all rounds: the number of the last one
  counted               INTEGER NOT NULL DEFAULT 0, -- attempts of this round that count
  clock_origin_ms       INTEGER,
  last_delay_ms         INTEGER,
  unsettled             INTEGER NOT NULL DEFAULT 0,
  parked_since_ms       INTEGER,                    -- in this round
  parked_asks           INTEGER NOT NULL DEFAULT 0,
  first_delivered_at_ms INTEGER,
  UNIQUE (tenant, event_key, endpoint_key),
  CHECK ((line_key IS NULL) = (sequence IS NULL) AND (line_key IS NULL) = (after IS NULL)),
  CHECK ((state < 7 AND state <> 2) = (next_at_ms IS NOT NULL)),
  CHECK ((state = 2) = (started_at_ms IS NOT NULL) AND (state = 2) = (counts IS NOT NULL)),
  CHECK ((state = 3) = (extra_attempt IS NOT NULL)),
  CHECK (state <> 4 OR (parked_since_ms IS NOT NULL AND parked_asks > 0)),
  CHECK ((state >= 7) = (closed_at_ms IS NOT NULL) AND (state >= 8) = (reason IS NOT NULL)),
  CHECK (state <> 2 OR attempts > 0)
) STRICT;
-- The conditions name no column that the start of an attempt changes, so that it touches none of these entries.
CREATE INDEX delivery_open ON delivery (delivery_key, endpoint_key) WHERE closed_at_ms IS NULL;
CREATE INDEX delivery_dead ON delivery (delivery_key) WHERE state = 8;
-- Open, dead or cancelled: all that may hold its place in its line.
CREATE INDEX delivery_in_line ON delivery (tenant, endpoint_key, line_key, sequence)
  WHERE line_key IS NOT NULL AND (closed_at_ms IS NULL OR reason IS NOT NULL);

-- One try; committed before its first byte leaves.
CREATE TABLE attempt (
  tenant        INTEGER NOT NULL,
  delivery_key  INTEGER NOT NULL,
  number        INTEGER NOT NULL CHECK (number > 0),
  round         INTEGER NOT NULL CHECK (round > 0),
  counts        INTEGER NOT NULL CHECK (counts IN (0, 1)),
  started_at_ms INTEGER NOT NULL,
  PRIMARY KEY (tenant, delivery_key, number)
) STRICT, WITHOUT ROWID;

-- What came back of it. late = 1: learned after something else had settled the attempt; evidence, changes no state.
CREATE TABLE attempt_outcome (
  tenant       INTEGER NOT NULL,
  delivery_key INTEGER NOT NULL,
  number       INTEGER NOT NULL,
  late         INTEGER NOT NULL CHECK (late IN (0, 1)),
  at_ms        INTEGER NOT NULL,
  result       TEXT    NOT NULL CHECK (result = 'delivered' OR result = 'retry' OR result = 'parked'
                                      OR result = 'unknown' OR result = 'dead'),
  failure      INTEGER CHECK (failure BETWEEN 0 AND 6),
  http_status  INTEGER,
  reason       TEXT    NOT NULL,
  PRIMARY KEY (tenant, delivery_key, number, late)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER attempt_is_append_only BEFORE UPDATE ON attempt
  BEGIN SELECT RAISE(ABORT, 'attempt is append-only'); END;
CREATE TRIGGER attempt_outcome_is_append_only BEFORE UPDATE ON attempt_outcome
  BEGIN SELECT RAISE(ABORT, 'attempt_outcome is append-only'); END;

-- What an Idempotency-Key is bound to. operation 1: POST /v1/events, an event; 2: POST /v1/events/batch, a batch.
CREATE TABLE key_record (
  tenant             INTEGER NOT NULL,
  caller             TEXT    NOT NULL,
  operation          INTEGER NOT NULL CHECK (operation IN (1, 2)),
  key_hash           BLOB    NOT NULL CHECK (length(key_hash) = 32),
  event_key          INTEGER,
  answered_duplicate INTEGER,
  batch              INTEGER,
  created_at_ms      INTEGER NOT NULL,
  PRIMARY KEY (tenant, caller, operation, key_hash),
  CHECK ((operation = 1) = (event_key IS NOT NULL) AND (operation = 1) = (answered_duplicate IS NOT NULL)),
  CHECK ((operation = 2) = (batch IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE batch (
  batch   INTEGER PRIMARY KEY,
  tenant  INTEGER NOT NULL,
  content BLOB    NOT NULL CHECK (length(content) = 32)
) STRICT;

-- An item's answer that stands: its event, or a final refusal. Items refused for now have no row.
CREATE TABLE batch_item (
  tenant             INTEGER NOT NULL,
  batch              INTEGER NOT NULL,
  position           INTEGER NOT NULL,
  event_key          INTEGER,
  answered_duplicate INTEGER,
  refused_why        INTEGER,
  refused_expected   INTEGER,
  PRIMARY KEY (tenant, batch, position),
  CHECK ((event_key IS NULL) = (answered_duplicate IS NULL)),
  CHECK ((event_key IS NULL) = (refused_why IS NOT NULL)),
  CHECK (refused_expected IS NULL OR refused_why IS NOT NULL)
) STRICT, WITHOUT ROWID;

-- A delivery as a person sees it. On an endpoint that sends per key (ordering = 1), one that waits to be sent is
-- blocked by the lowest one of its line that is open or dead.
CREATE VIEW delivery_shown AS
SELECT d.*, e.id AS event_id, p.id AS endpoint_id, e.type AS event_type, l.ordering_key AS ordering_key,
       CASE WHEN p.ordering = 1 AND d.line_key IS NOT NULL AND d.state < 7 AND d.state <> 2 THEN
         (SELECT be.id FROM delivery AS b JOIN event AS be ON be.event_key = b.event_key
          WHERE b.tenant = d.tenant AND b.endpoint_key = d.endpoint_key AND b.line_key = d.line_key
            AND b.line_key IS NOT NULL AND (b.closed_at_ms IS NULL OR b.reason IS NOT NULL)
            AND b.state <> 9 AND b.sequence < d.sequence
          ORDER BY b.sequence LIMIT 1)
       END AS blocked_by
FROM delivery AS d
JOIN event AS e ON e.event_key = d.event_key
JOIN endpoint AS p ON p.endpoint_key = d.endpoint_key
LEFT JOIN line AS l ON l.line_key = d.line_key;
