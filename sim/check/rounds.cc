// rounds.cc: see rounds.h.
#include "sim/check/rounds.h"

#include <chrono>

#include "sim/check/pace.h"

namespace semel::sim {

const store::SettleAttempt* committed_settle(const store::WriteSet& write_set, const store::CommitAnswer& answer) {
  return std::holds_alternative<store::Committed>(answer) ? std::get_if<store::SettleAttempt>(&write_set) : nullptr;
}

bool is_lapsed(const store::SettleAttempt& settle) { return settle.outcome.reason == "lapsed"; }

std::uint32_t counted_after(const DeliveryBook& book, const store::SettleAttempt& settle) {
  const AttemptBook* attempt = book.attempt(settle.attempt);
  const bool counts = attempt && attempt->counts && settle.outcome.result != "parked" && !is_lapsed(settle);
  return book.tally.counted + (counts ? 1 : 0);
}

std::optional<milliseconds> time_left(const DeliveryBook& book, const retry::Policy& policy, WallTime now) {
  if (book.tally.waited || !book.tally.origin) return std::nullopt;
  const auto* named = std::get_if<retry::Named>(&policy);
  const bool five_minutes = named && *named == retry::Named::five_minutes;
  const auto round = five_minutes ? std::optional<milliseconds>(std::chrono::minutes(5)) : longest_round(policy);
  return round ? std::optional(*book.tally.origin + *round - now) : std::nullopt;
}

}  // namespace semel::sim
