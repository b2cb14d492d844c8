// rounds.h: what a settlement uses up of its delivery's round, and how much time the round has left.
#pragma once

#include <cstdint>
#include <optional>

#include "core/retry/policy.h"
#include "sim/check/books.h"

namespace semel::sim {

// nullptr: it settles nothing, or was not committed.
const store::SettleAttempt* committed_settle(const store::WriteSet& write_set, const store::CommitAnswer& answer);

// The process of its attempt is gone.
bool is_lapsed(const store::SettleAttempt& settle);

// What the round has used up once this is settled; `book` as it stands before.
std::uint32_t counted_after(const DeliveryBook& book, const store::SettleAttempt& settle);

// Until the policy's time is up; nullopt: it has none, or nobody can tell.
std::optional<milliseconds> time_left(const DeliveryBook& book, const retry::Policy& policy, WallTime now);

}  // namespace semel::sim
