// decide.h: what becomes of a submission, decided inside the transaction that will store it.
//
// Reads from top to bottom as steps 3 to 6 of docs/life-of-an-event.md: key and id (two look-ups of one record), then
// sequence, then envelope, then routing. Dedup comes before sequence, quota and routing, so that a retry of what was
// accepted is answered as it was whatever has changed since.
// Invariants: I-ACK-DURABLE (the caller answers 202 only after the commit), I-NO-HOLE, I-STABLE-ID.
// Pure:       everything comes from IntakeView and the arguments; nothing is written here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/keys.h"
#include "base/time.h"
#include "core/event/envelope.h"
#include "core/event/submission.h"
#include "core/idempotency/fingerprint.h"
#include "core/idempotency/key.h"
#include "core/routing/pattern.h"

namespace semel::intake {

// An event that is stored, as far as later submissions are compared with it and answered from it.
struct StoredEvent {
  EventKey key;
  EventId id;
  idempotency::Fingerprint fingerprint;
  std::optional<Sequence> sequence;
  WallTime accepted_at;
  std::vector<EndpointId> endpoints;  // of its deliveries, in the order they were made
};

// What an Idempotency-Key of POST /v1/events is bound to.
struct KeyBinding {
  EventKey event;
  bool answered_duplicate;  // the first answer under this key already said duplicate: true
};

// Who numbers an ordering key, fixed by its first event.
enum class NumberedBy : std::uint8_t { semel = 1, producer = 2 };

struct Line {
  LineKey key;
  NumberedBy numbered_by;
  Sequence last;
};

// Reads of the transaction the decision runs in; each sees what earlier submissions of the same transaction stored.
class IntakeView {
 public:
  virtual ~IntakeView() = default;
  virtual std::optional<KeyBinding> find_key(const idempotency::KeyHash& hash) = 0;
  virtual std::optional<StoredEvent> find_event(const EventId& id) = 0;
  virtual StoredEvent event(EventKey key) = 0;
  virtual std::optional<Line> find_line(std::string_view ordering_key) = 0;
  // The sequence of the last event of this line on this endpoint; 0 when there is none.
  virtual Sequence tail(EndpointKey endpoint, LineKey line) = 0;
  virtual const routing::RoutingTable& routing() = 0;
  virtual EndpointId endpoint_id(EndpointKey endpoint) = 0;
};

// One submission with all that was drawn and computed for it before the transaction.
struct Item {
  event::Submission submission;
  EventId fresh_id;  // used when the submission has no id of its own
  idempotency::Fingerprint fingerprint;
  std::optional<idempotency::KeyHash> key;  // Idempotency-Key of POST /v1/events; never set within a batch
  WallTime accepted_at;
  std::size_t position = 0;  // in the array of its batch, of which some items may have been refused before
  // An item before it in the batch, with the same ordering key, could not be read or was not allowed.
  bool behind_refused = false;
};

struct NewDelivery {
  EndpointKey endpoint;
  std::optional<Sequence> after;  // set when the event has an ordering key
};

struct NewEvent {
  EventId id;
  event::Envelope envelope;
  std::optional<Sequence> sequence;
  std::optional<NumberedBy> first_of_line;  // set when this event fixes who numbers its ordering key
  std::vector<NewDelivery> deliveries;
};

// Stored, or about to be.
struct Accept {
  NewEvent event;
};
// It is there already; the answer is rebuilt from what is stored.
struct Replay {
  StoredEvent event;
  bool duplicate;  // the member `duplicate` of the answer
  bool bind_key;   // the key is new and now bound to this event
};
struct Refuse {
  enum class Why : std::uint8_t {
    key_reused,           // 422 IDEMPOTENCY_KEY_REUSED_WITH_DIFFERENT_REQUEST
    id_reused,            // 422 EVENT_ID_REUSED_WITH_DIFFERENT_CONTENT
    sequence_gap,         // 409 SEQUENCE_GAP, with `expected`
    sequence_missing,     // 409: this ordering key is numbered by its producer
    sequence_not_taken,   // 409: this ordering key is numbered by Semel
    predecessor_refused,  // 424: an earlier item of this batch with the same ordering key was refused
  };
  Why why;
  std::optional<Sequence> expected;
};
using Decision = std::variant<Accept, Replay, Refuse>;

Decision decide(const Item& item, std::string_view tenant_name, IntakeView& view);

}  // namespace semel::intake
