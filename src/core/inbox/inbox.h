// inbox.h: whether an incoming event is applied, a duplicate, parked, or rejected: the six rules of
// docs/guarantees.md "Inbox", as pure functions over what is stored.
//
// Decides:    the ruling for one arrival and for one parked event, and what must be written with it.
// Invariants: I-NO-DUP-EFFECT, I-ORDER-KEY, I-PARK (no event is applied before the one its `after` names), and: what is
//             at or below the position without having been applied is `late`, never called a duplicate.
// Pure:       the caller reads InboxFacts, calls judge_arrival, runs the application's apply if told to, and writes
//             the ruling and the effect in one transaction.
// The rules were found by exhaustive search; earlier wordings each had a counterexample. Change them only together with
// inbox_model_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/keys.h"
#include "base/result.h"
#include "base/time.h"

namespace semel::inbox {

inline constexpr milliseconds kDedupRetention = std::chrono::hours(24 * 90);
inline constexpr std::size_t kDrainOnTheWayMax = 16;
inline constexpr std::uint32_t kParkedPerLineMax = 1'000;
inline constexpr std::uint32_t kParkedMax = 100'000;

// An event as it arrived, verified and read. Bodies of other Standard Webhooks senders have only `id` and `body`.
struct Arrival {
  std::string source;  // the configured name of the secret that verified
  std::string id;
  std::string type;                     // empty for foreign bodies
  std::optional<std::string> endpoint;  // delivery.endpoint
  std::uint32_t round = 1;
  std::optional<std::string> ordering_key;
  std::optional<Sequence> sequence;
  std::optional<Sequence> after;
  bool out_of_order = false;  // delivery.out_of_order
  std::optional<std::string> correlation_id;
  std::optional<std::uint64_t> entity_version;
  std::optional<WallTime> accepted_at;
  bool ordered() const { return endpoint && ordering_key && sequence && after; }
  // What the version guard compares versions of: ordering key, else correlation id.
  std::optional<std::string> entity() const { return ordering_key ? ordering_key : correlation_id; }
};

// Reads a verified body. `webhook_id` must equal the body's id; a body that has no textual `id` member, or is no JSON
// object, is a foreign one: id from the header, no order. Fault::invalid with a note for the sender.
Result<Arrival> read_arrival(std::string_view body, std::string_view webhook_id, std::string_view source);

// What is stored about this (consumer, source, id). A foreign body has no endpoint; the empty name stands for it.
struct Applied {
  bool through_this_endpoint;  // applied, or seen applied, through the endpoint that sends now
};
struct RejectedByApplication {
  std::optional<std::uint32_t> round;  // the highest it was rejected in through this endpoint
  std::string reason;
};

struct InboxFacts {
  std::optional<WallTime> purged_through;  // newest accepted_at that dedup records were purged for, of this consumer
  std::variant<std::monostate, Applied, RejectedByApplication> known;
  std::optional<Sequence> parked_after;  // parked through this endpoint: the lowest `after` received
  Sequence position = 0;                 // last applied of (consumer, source, endpoint, ordering key)
  std::uint32_t parked_in_line = 0;
  std::uint32_t parked_in_all = 0;
  std::optional<std::uint64_t> entity_version;  // where the arrival's entity stands; none: never seen
};

// ---- rulings ----
// Every ruling but Park and Later ends what was parked through this endpoint.
struct Duplicate {
  bool first_through_this_endpoint = false;  // applied through another one: write that this one has seen it too
  bool moves_position = false;
};
struct Reject {
  std::string reason;  // too_old_to_judge, late, or what the application said the first time
  bool keep_as_late = false;
};
struct Park {
  Sequence after;  // the lowest received so far
};
struct Later {         // 425 with Retry-After
  std::string reason;  // parked_quota
};
struct Superseded {  // the entity already stands at this version or above: stored as applied, no effect
  bool moves_position = false;
};
struct Apply {
  bool moves_position = false;  // false for what has no order, and out of order below the position
};
using Ruling = std::variant<Duplicate, Reject, Park, Later, Superseded, Apply>;

Ruling judge_arrival(const Arrival& arrival, const InboxFacts& facts, WallTime now);

// A parked event, with the lowest `after` received and the highest round: rules 2 to 4 and 6. nullopt: its turn has not
// come (facts.parked_after > position). Of a line's parked events the lowest sequence whose turn has come is judged
// first. out_of_order says nothing here: below the position it is the sender that must ask again.
std::optional<Ruling> judge_parked(const Arrival& parked, const InboxFacts& facts);

// ---- the answer on the wire ----
enum class Disposition : std::uint8_t { applied, duplicate, parked, rejected, later };
inline constexpr std::uint32_t kLaterRetryAfterSeconds = 5;
struct WireAnswer {
  int status;
  std::string_view disposition;  // value of semel-disposition; empty: no such header
  std::string body;              // {"status":..,"reason"?:..}
  std::optional<std::uint32_t> retry_after_s;
};
WireAnswer wire_answer(Disposition disposition, std::string_view reason = {});

}  // namespace semel::inbox
