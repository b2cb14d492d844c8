// state.h: the states of a delivery, each with only what that state knows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/keys.h"
#include "base/time.h"
#include "core/retry/policy.h"

namespace semel::delivery {

// Stored as this number (sql/sqlite/schema.sql repeats them in its CHECK constraints); never renumber. 5 and 6 are
// kept for `blocked` (derived, never stored) and `held`.
enum class StateName : std::uint8_t {
  due = 1,
  in_flight = 2,
  unknown = 3,
  parked = 4,
  delivered = 7,
  dead = 8,
  cancelled = 9,
};
const char* name_of(StateName state);
constexpr bool is_open(StateName state) { return static_cast<std::uint8_t>(state) < 7; }

// Waiting for its time (the policy's, or at once).
struct Due {
  WallTime at;
};
// An attempt is under way: its row is committed and has no outcome yet.
struct InFlight {
  std::uint32_t attempt;
  WallTime started_at;
  bool counts;
};
// The last attempt may or may not have been applied; sent again with the same id at `at`.
struct Unknown {
  WallTime at;
  bool extra_attempt;  // the next attempt does not count against the policy
};
// Safe at the receiver, not yet applied; asked again at `ask_at`, or at once when its predecessor closes.
struct Parked {
  WallTime ask_at;
};
struct Delivered {
  WallTime at;
};
struct Dead {
  WallTime at;
  std::string reason;
};
struct Cancelled {
  WallTime at;
  std::string reason;
};

using State = std::variant<Due, InFlight, Unknown, Parked, Delivered, Dead, Cancelled>;

StateName name_of(const State& state);

// What a delivery carries through all its states.
struct Record {
  std::uint32_t round = 1;
  std::uint32_t attempts = 0;  // started, over all rounds; the number of the last one
  retry::RoundProgress progress;
  // Some attempt of this delivery ended unknown (or was answered parked) and nothing has settled it since (P7).
  bool unsettled = false;
  // When the receiver first answered parked in this round, and how often it has; through failures in between.
  std::optional<WallTime> parked_since;
  std::uint32_t parked_asks = 0;
  std::optional<WallTime> first_delivered_at;  // stays when a replay opens another round
};

// P7: whether a delivery that is over may have happened all the same.
bool may_have_happened(const State& state, const Record& record);

}  // namespace semel::delivery
