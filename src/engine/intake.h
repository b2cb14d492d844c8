// intake.h: from a checked submission to a durable answer (steps 2 to 6 of docs/life-of-an-event.md).
//
// One commit per request; the decision itself is core/intake/decide.h and runs inside the store's transaction. Nothing
// is answered before the commit is (I-ACK-DURABLE). New deliveries are handed to the dispatcher after the commit; if
// the process dies between the two, the next start finds them in the store.
// Threads: the loop's thread.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/dispatcher.h"
#include "engine/tenants.h"
#include "port/clock.h"
#include "port/entropy.h"
#include "port/store.h"

namespace semel::engine {

struct IntakeItem {
  event::Submission submission;
  idempotency::Fingerprint fingerprint;  // Intake::fingerprint of the event object
  std::size_t position = 0;              // in the array of its batch
  bool behind_refused = false;  // an item of its ordering key before it in the batch got no further than the request
};

struct IntakeRequest {
  TenantKey tenant;
  std::string client;
  std::vector<IntakeItem> items;
  std::optional<idempotency::KeyHash> key;  // Idempotency-Key; of the only item, or of the whole batch
  bool batch = false;
  // Of every element of a keyed batch's array, also of those that are refused: what its key is bound to.
  std::vector<idempotency::Fingerprint> content;
};

// Too many deliveries are sendable and not being sent (kSendableMax): surely nothing was stored.
struct Overloaded {
  milliseconds retry_after;
};
// The commit's outcome is not known: the events may be there, under these ids (in the order of the items).
struct InDoubt {
  std::vector<EventId> ids;
};
using IntakeResult = std::variant<store::IntakeAnswer, Overloaded, store::Refused, InDoubt>;

class Intake {
 public:
  Intake(store::Store& store, Dispatcher& dispatcher, const Tenants& tenants, Clock& clock, Entropy& entropy)
      : store_(store), dispatcher_(dispatcher), tenants_(tenants), clock_(clock), entropy_(entropy) {}

  // Any JSON value has one, so that elements of a batch that are no events have.
  idempotency::Fingerprint fingerprint(TenantKey tenant, const JsonValue& event_object) const;
  Co<IntakeResult> submit(IntakeRequest request);

 private:
  store::Store& store_;
  Dispatcher& dispatcher_;
  const Tenants& tenants_;
  Clock& clock_;
  Entropy& entropy_;
};

}  // namespace semel::engine
