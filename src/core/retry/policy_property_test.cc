// policy_property_test.cc: whatever a policy says, its delays stay inside its jitter and its round ends.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "core/retry/policy.h"
#include "core/retry/testing/any_outcome.h"

namespace semel::retry {
namespace {

constexpr WallTime kFirst{1'000'000'000'000};

struct Range {
  double low;
  double high;
};

// Before jitter, by repeated multiplication; a millisecond of room for what is cut.
double plain_delay(const Spelled& policy, std::uint32_t counted) {
  double delay = static_cast<double>(policy.base.count());
  const auto longest = static_cast<double>(policy.max_delay.count());
  for (std::uint32_t n = 1; n < counted && delay < longest; ++n) delay *= policy.factor;
  return std::min(delay, longest);
}

Range range_of(const Spelled& policy, const RoundProgress& progress) {
  const double plain = plain_delay(policy, progress.counted);
  switch (policy.jitter) {
    case Jitter::none:
      return {plain, plain};
    case Jitter::full:
      return {1, plain};
    case Jitter::equal:
      return {plain / 2, plain};
    case Jitter::decorrelated: {
      const auto base = static_cast<double>(policy.base.count());
      const double last = static_cast<double>(progress.last_delay.value_or(policy.base).count());
      return {base, std::min(static_cast<double>(policy.max_delay.count()), 3 * std::max(base, last))};
    }
  }
  std::unreachable();
}

RC_GTEST_PROP(AnyPolicy, has_every_delay_inside_its_jitter, (std::uint64_t seed)) {
  Spelled policy = *any_spelled();
  policy.max_elapsed.reset();
  policy.max_attempts = 1001;
  RoundProgress progress{.counted = *rc::gen::inRange(1u, 1001u), .clock_origin = kFirst, .last_delay = {}};
  if (*rc::gen::arbitrary<bool>()) progress.last_delay = *any_duration(policy.base, policy.max_delay);
  SeededRandom random(seed);
  const auto next = std::get<TryAgain>(next_try(policy, progress, kFirst, random));
  const auto [low, high] = range_of(policy, progress);
  const auto delay = static_cast<double>(next.delay.count());
  const double room = 1 + high * 1e-9;
  RC_ASSERT(delay >= low - room);
  RC_ASSERT(delay <= high + room);
  RC_ASSERT(next.delay >= milliseconds(1));
  RC_ASSERT(next.at == kFirst + next.delay);
}

RC_GTEST_PROP(AnyPolicy, without_jitter_waits_no_shorter_after_a_further_failure, (std::uint64_t seed)) {
  Spelled policy = *any_spelled();
  policy.jitter = Jitter::none;
  policy.max_elapsed.reset();
  policy.max_attempts = 1001;
  SeededRandom random(seed);
  const std::uint32_t counted = *rc::gen::inRange(1u, 1000u);
  const auto delay = [&](std::uint32_t n) {
    return std::get<TryAgain>(
               next_try(policy, {.counted = n, .clock_origin = kFirst, .last_delay = {}}, kFirst, random))
        .delay;
  };
  RC_ASSERT(delay(counted) <= delay(counted + 1));
  RC_ASSERT(delay(counted + 1) <= policy.max_delay);
}

// Each attempt takes as long as was drawn; every one fails. The steps looked at are bounded, since a policy may count
// by the time alone and wait a millisecond at a time.
RC_GTEST_PROP(AnyPolicy, ends_by_the_attempts_and_the_time_it_says, (std::uint64_t seed)) {
  const Spelled policy = *any_spelled();
  const milliseconds attempt_takes = *any_duration(milliseconds(0), std::chrono::seconds(30));
  SeededRandom random(seed);
  RoundProgress progress{.counted = 0, .clock_origin = kFirst, .last_delay = {}};
  WallTime starts = kFirst;
  for (int step = 0; step < 1500; ++step) {
    RC_ASSERT(!policy.max_elapsed || starts <= kFirst + *policy.max_elapsed);
    const WallTime now = starts + attempt_takes;
    ++progress.counted;
    RC_ASSERT(!policy.max_attempts || progress.counted <= *policy.max_attempts);
    const NextTry next = next_try(policy, progress, now, random);
    const auto* again = std::get_if<TryAgain>(&next);
    if (!again) return;
    RC_ASSERT(again->at > now);
    progress.last_delay = again->delay;
    starts = again->at;
  }
  RC_ASSERT(!policy.max_attempts);
}

RC_GTEST_PROP(AnyPolicy, named_makes_six_or_ten_attempts_however_long_they_take, (std::uint64_t seed)) {
  const Named named = *rc::gen::element(Named::five_minutes, Named::standard);
  SeededRandom random(seed);
  RoundProgress progress{.counted = 0, .clock_origin = kFirst, .last_delay = {}};
  WallTime now = kFirst;
  std::uint32_t attempts = 0;
  while (true) {
    now = now + *any_duration(milliseconds(0), std::chrono::seconds(30));
    progress.counted = ++attempts;
    RC_ASSERT(attempts <= 10u);
    const NextTry next = next_try(named, progress, now, random);
    if (std::holds_alternative<RoundOver>(next)) break;
    RC_ASSERT(std::get<TryAgain>(next).at >= now);
    now = std::get<TryAgain>(next).at;
  }
  RC_ASSERT(attempts == (named == Named::standard ? 10u : 6u));
}

RC_GTEST_PROP(AnyPolicy, is_read_back_as_it_was_written, ()) {
  const std::string text = policy_json(*any_policy());
  const Result<JsonDocument> document = parse_json(text);
  RC_ASSERT(document.has_value());
  RC_ASSERT(policy_json(parse_policy(document->root()).value()) == text);
}

}  // namespace
}  // namespace semel::retry
