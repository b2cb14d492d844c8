// retry_policy_fuzz.cc: a policy that was read is written in one form, keeps its bounds and ends.
#include "core/retry/policy.h"

#include <string>

#include "base/match.h"
#include "fuzz/fuzz.h"

namespace semel::fuzz {
namespace {

using retry::Policy;
using retry::Spelled;
using std::chrono::hours;

constexpr int kStepsMax = 1100;  // above the largest max_attempts

void check_bounds(const Spelled& policy) {
  SEMEL_CHECK(policy.base >= milliseconds(1) && policy.base <= hours(24));
  SEMEL_CHECK(policy.factor >= 1.0 && policy.factor <= 100.0);
  SEMEL_CHECK(policy.max_delay >= policy.base && policy.max_delay <= hours(24 * 7));
  SEMEL_CHECK(policy.max_attempts || policy.max_elapsed);
  SEMEL_CHECK(!policy.max_attempts || (*policy.max_attempts >= 1 && *policy.max_attempts <= 1000));
  SEMEL_CHECK(!policy.max_elapsed || (*policy.max_elapsed >= milliseconds(1) && *policy.max_elapsed <= hours(24 * 14)));
}

milliseconds longest_delay(const Policy& policy) {
  return match(
      policy, [](retry::Named) { return milliseconds(hours(27)); },
      [](const Spelled& spelled) { return spelled.max_delay; });
}

// Each attempt takes a second and fails. A policy without max_attempts may be longer than what is looked at here.
void check_round(const Policy& policy, Random& random) {
  constexpr WallTime kStart{1'000'000};
  retry::RoundProgress progress{.counted = 0, .clock_origin = kStart, .last_delay = {}};
  WallTime now = kStart;
  for (int step = 0; step < kStepsMax; ++step) {
    now = now + std::chrono::seconds(1);
    ++progress.counted;
    const retry::NextTry next = retry::next_try(policy, progress, now, random);
    const auto* again = std::get_if<retry::TryAgain>(&next);
    if (!again) return;
    SEMEL_CHECK(again->at >= now);
    SEMEL_CHECK(again->at - now <= longest_delay(policy));
    progress.last_delay = again->delay;
    now = again->at;
  }
  const auto* spelled = std::get_if<Spelled>(&policy);
  SEMEL_CHECK(spelled && !spelled->max_attempts);
}

void check_duration(std::string_view text) {
  const Result<milliseconds> duration = retry::parse_duration(text);
  if (!duration) return;
  SEMEL_CHECK(*duration >= milliseconds(0));
  SEMEL_CHECK(retry::parse_duration(std::to_string(duration->count()) + "ms").value() == *duration);
}

}  // namespace

void retry_policy(std::string_view bytes) {
  check_duration(bytes);
  const Result<JsonDocument> document = parse_json(bytes);
  if (!document) return;
  const Result<Policy> policy = retry::parse_policy(document->root());
  if (!policy) {
    SEMEL_CHECK(policy.error().fault == Fault::invalid);
    SEMEL_CHECK(is_plain(policy.error().note));
    return;
  }
  const std::string text = retry::policy_json(*policy);
  const Result<JsonDocument> written = parse_json(text);
  SEMEL_CHECK(written.has_value());
  SEMEL_CHECK(retry::policy_json(retry::parse_policy(written->root()).value()) == text);
  if (const auto* spelled = std::get_if<Spelled>(&*policy)) check_bounds(*spelled);
  SeededRandom random = chance_of(bytes);
  check_round(*policy, random);
}

}  // namespace semel::fuzz
