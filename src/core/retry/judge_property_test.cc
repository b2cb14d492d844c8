// judge_property_test.cc: what no outcome may be made into, whatever the policy and the round so far.
//
// Two of the five properties that seed 004 section 232 asks for: a confirmed success is never tried again, and what may
// have been applied is not called failed unless something shows it. judge_test.cc has the same as a table.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/retry/judge.h"
#include "core/retry/testing/any_outcome.h"

namespace semel::retry {
namespace {

using std::chrono::hours;

constexpr WallTime kNow{1'796'024'751'123};

JudgedAttempt any_attempt() {
  JudgedAttempt attempt;
  attempt.counts = *rc::gen::weightedElement<bool>({{4, true}, {1, false}});
  attempt.before.counted = *rc::gen::inRange(0u, 12u);
  attempt.before.clock_origin = kNow - *any_duration(milliseconds(0), hours(100));
  attempt.parked_asks = *rc::gen::inRange(0u, 40u);
  if (attempt.parked_asks > 0) attempt.parked_since = kNow - *any_duration(milliseconds(0), hours(24 * 8));
  return attempt;
}

struct Case {
  Outcome outcome;
  JudgeRules rules = *any_rules();
  JudgedAttempt attempt = any_attempt();
  std::uint64_t seed = *rc::gen::arbitrary<std::uint64_t>();

  Verdict verdict() const {
    SeededRandom random(seed);
    return judge(outcome, rules, attempt, kNow, random);
  }
};

// Seed 004, 232: after the success is confirmed nothing is retried.
RC_GTEST_PROP(AnyOutcome, that_confirms_the_success_asks_for_no_further_attempt, ()) {
  Case confirmed{.outcome = *any_answer()};
  RC_PRE(confirms(confirmed.outcome));
  const Verdict verdict = confirmed.verdict();
  RC_ASSERT(std::holds_alternative<Delivered>(verdict.decision));
  RC_ASSERT(!verdict.failure);
}

RC_GTEST_PROP(AnyOutcome, that_does_not_confirm_the_success_is_not_called_delivered, ()) {
  const Case unconfirmed{.outcome = *rc::gen::suchThat(any_outcome(), [](const Outcome& o) { return !confirms(o); })};
  RC_ASSERT(!std::holds_alternative<Delivered>(unconfirmed.verdict().decision));
}

// Seed 004, 232: an unknown outcome is no failure as long as nothing proves one.
RC_GTEST_PROP(AnyOutcome, that_may_have_been_applied_is_not_called_failed_without_evidence, ()) {
  const Case doubtful{.outcome = *rc::gen::suchThat(any_outcome(), leaves_doubt)};
  const Verdict verdict = doubtful.verdict();
  RC_ASSERT(verdict.failure == FailureClass::unknown_outcome);
  const auto* dead = std::get_if<DeadNow>(&verdict.decision);
  RC_ASSERT((dead ? dead->in_doubt : std::holds_alternative<UnknownUntil>(verdict.decision)));
}

RC_GTEST_PROP(AnyOutcome, that_shows_a_failure_is_not_called_unknown, ()) {
  const Case failed{.outcome = *rc::gen::suchThat(any_outcome(), shows_failure)};
  const Verdict verdict = failed.verdict();
  RC_ASSERT(verdict.failure.has_value());
  RC_ASSERT(verdict.failure != FailureClass::unknown_outcome);
  RC_ASSERT(!std::holds_alternative<UnknownUntil>(verdict.decision));
}

RC_GTEST_PROP(AnyOutcome, has_its_next_attempt_no_earlier_than_now, ()) {
  const Case any{.outcome = *any_outcome()};
  match(
      any.verdict().decision, [](const Delivered&) {}, [](const DeadNow&) {},
      [](const RetryAt& again) { RC_ASSERT(again.at >= kNow); },
      [](const ParkedUntil& parked) { RC_ASSERT(parked.ask_at > kNow); },
      [](const UnknownUntil& unknown) { RC_ASSERT(unknown.resend_at >= kNow); });
}

RC_GTEST_PROP(AnyOutcome, counts_at_most_once_and_not_at_all_when_parked_or_outside_the_count, ()) {
  const Case any{.outcome = *any_outcome()};
  const std::uint32_t counted = any.verdict().after.counted - any.attempt.before.counted;
  RC_ASSERT(counted == (any.attempt.counts && !parks(any.outcome) ? 1u : 0u));
}

// The same answer once with and once without the header, all chance being equal.
RC_GTEST_PROP(RetryAfterHeader, lengthens_a_wait_up_to_an_hour_and_never_shortens_it, ()) {
  Case with{.outcome = *any_answer()};
  auto& answer = std::get<Answer>(with.outcome);
  answer.status = *rc::gen::element(408, 425, 429, 503);
  const int seconds = *rc::gen::inRange(0, 100'000);
  answer.retry_after = std::to_string(seconds);
  Case without = with;
  std::get<Answer>(without.outcome).retry_after.reset();
  const Verdict obeyed = with.verdict();
  const Verdict plain = without.verdict();
  RC_ASSERT(obeyed.decision.index() == plain.decision.index());
  RC_ASSERT(obeyed.after.counted == plain.after.counted);
  const auto* at = std::get_if<RetryAt>(&obeyed.decision);
  if (!at) return;
  const WallTime asked = kNow + std::min(milliseconds(std::chrono::seconds(seconds)), milliseconds(hours(1)));
  RC_ASSERT(at->at == std::max(std::get<RetryAt>(plain.decision).at, asked));
}

// The clock of a policy stands still for as long as was asked for, and for no longer: the own delays of a round add up
// to max_elapsed at most, whatever its receiver asks for.
RC_GTEST_PROP(RetryAfterHeader, stops_the_policys_clock_for_no_longer_than_was_asked, (std::uint64_t seed)) {
  Spelled policy = *any_spelled();
  policy.max_attempts.reset();
  policy.max_elapsed = *any_duration(milliseconds(1), hours(24));
  const JudgeRules rules{.policy = policy, .client_errors = ClientErrors::retry};
  SeededRandom random(seed);
  JudgedAttempt attempt;
  attempt.before.clock_origin = kNow;
  WallTime starts = kNow;
  milliseconds asked{0};
  for (int step = 0; step < 200; ++step) {
    RC_ASSERT(starts <= kNow + *policy.max_elapsed + asked);
    Answer busy{.status = 503, .disposition = {}, .retry_after = {}, .body_excerpt = {}, .body = {}};
    const int seconds = *rc::gen::element(0, 0, 1, 60);
    busy.retry_after = std::to_string(seconds);
    const Verdict verdict = judge(busy, rules, attempt, starts, random);
    const auto* again = std::get_if<RetryAt>(&verdict.decision);
    if (!again) return;
    asked += std::chrono::seconds(seconds);
    attempt.before = verdict.after;
    starts = again->at;
  }
}

}  // namespace
}  // namespace semel::retry
