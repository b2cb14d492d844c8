// pace.h: when a policy lets a delivery be tried again, worked out from docs/design/retry-policies.md alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.h"
#include "core/retry/policy.h"

namespace semel::sim {

// How many attempts of a round may count; nullopt: as many as its time allows.
std::optional<std::uint32_t> most_attempts(const retry::Policy& policy);
// How long after its first attempt a round is over.
std::optional<milliseconds> longest_round(const retry::Policy& policy);

struct DelayRange {
  milliseconds low;
  milliseconds high;
};
// Between the `failed`-th failure that counts and the next attempt. `left`: until the round's time is up, where the
// policy has one and it is known.
DelayRange delay_range(const retry::Policy& policy, std::uint32_t failed, std::optional<milliseconds> left);

// Until a parked delivery is asked for again that was answered `parked` so many times before.
milliseconds parked_delay(std::uint32_t asks_before);

// The wait that a Retry-After asks for; of a date nothing but the bounds is known here.
DelayRange asked_wait(std::string_view retry_after);

}  // namespace semel::sim
