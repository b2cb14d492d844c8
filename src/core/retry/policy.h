// policy.h: when a failed delivery is tried again, and when its round is over.
//
// Decides:    the time of the next attempt from the policy, the failures so far and chance.
// Units:      milliseconds; attempts count from 1; delays are never negative and never over `max_delay`.
// Sources:    the named schedules are those of docs/design/retry-policies.md; full, equal and decorrelated jitter are
//             the three of "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/random.h"
#include "base/result.h"
#include "base/time.h"

namespace semel::retry {

enum class Jitter : std::uint8_t { none, full, equal, decorrelated };

// base * factor^(n-1), capped, after the n-th counted failure; over when max_attempts were counted, or max_elapsed has
// passed since the first attempt of the round, with one last try at its end. At least one of the two is set.
struct Spelled {
  milliseconds base{1000};
  double factor = 2.0;
  milliseconds max_delay{300'000};
  std::optional<milliseconds> max_elapsed;
  std::optional<std::uint32_t> max_attempts;
  Jitter jitter = Jitter::full;
};

enum class Named : std::uint8_t { five_minutes, standard };

using Policy = std::variant<Named, Spelled>;

inline constexpr Named kDefaultPolicy = Named::standard;

// What a round knows about itself.
struct RoundProgress {
  std::uint32_t counted = 0;  // attempts of this round that count, the one just judged included
  std::optional<WallTime>
      clock_origin;  // start of the first attempt of the round, moved on by the time the clock stood
  std::optional<milliseconds> last_delay;
};

struct TryAgain {
  WallTime at;
  milliseconds delay;  // what decorrelated jitter starts from next time
};
struct RoundOver {};
using NextTry = std::variant<TryAgain, RoundOver>;

// After the `progress.counted`-th counted failure, seen at `now`.
NextTry next_try(const Policy& policy, const RoundProgress& progress, WallTime now, Random& random);

// "five-minutes", "standard", or an object with the members of Spelled in snake_case, durations as "50ms", "2s", "10m",
// "3h" or a number of milliseconds. Unknown members are refused with the nearest known name.
Result<Policy> parse_policy(const JsonValue& json);
std::string policy_json(const Policy& policy);  // the JSON value that parse_policy reads back

Result<milliseconds> parse_duration(std::string_view text);

}  // namespace semel::retry
