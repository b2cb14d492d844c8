// judge_test.cc: the table of outcomes, row by row.
#include "core/retry/judge.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/match.h"

namespace semel::retry {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr WallTime kNow{5'000'000};

// No jitter, so that every time below is worked out by hand: 1 s, 2 s, 4 s, ..; over after 5.
JudgeRules rules(ClientErrors client_errors = ClientErrors::retry) {
  return {.policy = Spelled{.base = seconds(1),
                            .factor = 2.0,
                            .max_delay = seconds(60),
                            .max_elapsed = {},
                            .max_attempts = 5,
                            .jitter = Jitter::none},
          .client_errors = client_errors};
}

JudgedAttempt first_attempt() {
  return {.counts = true,
          .before = {.counted = 0, .clock_origin = kNow, .last_delay = {}},
          .parked_asks = 0,
          .parked_since = {}};
}

Verdict judge_with(const Outcome& outcome, const JudgeRules& with = rules(),
                   const JudgedAttempt& attempt = first_attempt()) {
  SeededRandom random(1);
  return judge(outcome, with, attempt, kNow, random);
}

Answer answer(int status, std::optional<std::string> disposition = {}, std::optional<std::string> retry_after = {}) {
  return {.status = status,
          .disposition = std::move(disposition),
          .retry_after = std::move(retry_after),
          .body_excerpt = {},
          .body = Answer::Body::complete};
}

NoAnswer no_answer(NoAnswer::Trouble trouble, bool byte_left) {
  return {.trouble = trouble, .request_byte_left = byte_left, .stale_connection = false, .note = {}};
}

// "delivered", "retry 1000", "parked 30000", "unknown 1000", "dead REASON", with the class and the endpoint's signal.
std::string describe(const Verdict& verdict) {
  std::string text = match(
      verdict.decision,
      [](const Delivered& delivered) { return std::string(delivered.duplicate ? "delivered duplicate" : "delivered"); },
      [](const RetryAt& again) { return "retry " + std::to_string((again.at - kNow).count()); },
      [](const ParkedUntil& parked) { return "parked " + std::to_string((parked.ask_at - kNow).count()); },
      [](const UnknownUntil& unknown) {
        return "unknown " + std::to_string((unknown.resend_at - kNow).count()) +
               (unknown.extra_attempt ? " extra" : "");
      },
      [](const DeadNow& dead) { return "dead " + dead.reason + (dead.in_doubt ? " in doubt" : ""); });
  if (verdict.failure) text += std::string(" ") + name_of(*verdict.failure);
  if (verdict.endpoint == EndpointSignal::willing) text += " willing";
  if (verdict.endpoint == EndpointSignal::throttled) text += " throttled";
  if (verdict.endpoint_wait) text += " endpoint waits " + std::to_string(verdict.endpoint_wait->count());
  if (verdict.odd_disposition) text += " odd";
  return text;
}

struct Row {
  Outcome outcome;
  std::string expected;
};

TEST(Judge, reads_status_and_disposition_as_the_table_says) {
  const std::vector<Row> rows{
      {answer(200, "applied"), "delivered willing"},
      {answer(200, "duplicate"), "delivered duplicate willing"},
      {answer(202, "parked"), "parked 30000 willing"},
      {answer(422, "rejected"), "dead rejected_by_receiver PERMANENT willing"},
      {answer(200), "delivered willing"},
      {answer(204), "delivered willing"},
      {answer(202), "delivered willing"},
      {answer(299), "delivered willing"},
      // Another pair: the status alone decides, and the pair is flagged.
      {answer(200, "parked"), "delivered willing odd"},
      {answer(202, "applied"), "delivered willing odd"},
      {answer(500, "applied"), "retry 1000 TRANSIENT willing odd"},
      {answer(422, "parked"), "retry 1000 PERMANENT willing odd"},
      {answer(422), "retry 1000 PERMANENT willing"},
      {answer(301), "retry 1000 PERMANENT willing"},
      {answer(302), "retry 1000 PERMANENT willing"},
      {answer(400), "retry 1000 PERMANENT willing"},
      {answer(401), "retry 1000 PERMANENT willing"},
      {answer(404), "retry 1000 PERMANENT willing"},
      {answer(408), "retry 1000 TRANSIENT willing"},
      {answer(408, {}, "7"), "retry 7000 TRANSIENT willing"},
      {answer(409), "retry 1000 CONFLICT willing"},
      {answer(410), "retry 1000 PERMANENT willing"},
      {answer(425, {}, "9"), "retry 9000 TRANSIENT willing"},
      {answer(429), "retry 1000 THROTTLED throttled"},
      {answer(429, {}, "30"), "retry 30000 THROTTLED endpoint waits 30000"},
      {answer(429, {}, "99999999"), "retry 3600000 THROTTLED endpoint waits 3600000"},
      {answer(429, {}, "-3"), "retry 1000 THROTTLED throttled"},
      {answer(500), "retry 1000 TRANSIENT willing"},
      {answer(500, {}, "30"), "retry 1000 TRANSIENT willing"},
      {answer(501), "retry 1000 TRANSIENT willing"},
      {answer(502), "unknown 1000 UNKNOWN_OUTCOME throttled"},
      {answer(503), "retry 1000 THROTTLED throttled"},
      {answer(503, {}, "0"), "retry 1000 THROTTLED endpoint waits 0"},
      {answer(504), "unknown 1000 UNKNOWN_OUTCOME throttled"},
      {answer(599), "retry 1000 TRANSIENT willing"},
  };
  for (const Row& row : rows) {
    const Answer& given = std::get<Answer>(row.outcome);
    EXPECT_EQ(describe(judge_with(row.outcome)), row.expected) << given.status << " " << given.disposition.value_or("");
  }
}

TEST(Judge, without_an_answer_the_first_byte_decides_between_failed_and_unknown) {
  using Trouble = NoAnswer::Trouble;
  const std::vector<Row> rows{
      {no_answer(Trouble::denied_destination, false), "retry 1000 POLICY_REJECTED"},
      {no_answer(Trouble::name_resolution, false), "retry 1000 TRANSIENT"},
      {no_answer(Trouble::connect, false), "retry 1000 TRANSIENT"},
      {no_answer(Trouble::tls, false), "retry 1000 TRANSIENT"},
      {no_answer(Trouble::certificate, false), "retry 1000 PERMANENT"},
      {no_answer(Trouble::malformed_answer, true), "retry 1000 PERMANENT"},
      {no_answer(Trouble::connection_lost, false), "retry 1000 TRANSIENT"},
      {no_answer(Trouble::connection_lost, true), "unknown 1000 UNKNOWN_OUTCOME"},
      {no_answer(Trouble::timed_out, false), "retry 1000 TRANSIENT"},
      {no_answer(Trouble::timed_out, true), "unknown 1000 UNKNOWN_OUTCOME"},
      {no_answer(Trouble::lapsed, true), "unknown 1000 UNKNOWN_OUTCOME"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(describe(judge_with(row.outcome)), row.expected)
        << static_cast<int>(std::get<NoAnswer>(row.outcome).trouble);
}

TEST(Judge, a_good_answer_whose_body_is_incomplete_is_unknown_and_a_bad_one_goes_by_its_status) {
  const auto with_body = [](Answer given, Answer::Body body) {
    given.body = body;
    return given;
  };
  const std::vector<Row> rows{
      {with_body(answer(200), Answer::Body::incomplete), "unknown 1000 UNKNOWN_OUTCOME"},
      {with_body(answer(200, "applied"), Answer::Body::incomplete), "unknown 1000 UNKNOWN_OUTCOME"},
      {with_body(answer(202, "parked"), Answer::Body::incomplete), "unknown 1000 UNKNOWN_OUTCOME"},
      {with_body(answer(500), Answer::Body::incomplete), "retry 1000 TRANSIENT willing"},
      {with_body(answer(200), Answer::Body::over_cap), "delivered willing"},
      {with_body(answer(500), Answer::Body::over_cap), "retry 1000 TRANSIENT willing"},
  };
  for (const Row& row : rows) EXPECT_EQ(describe(judge_with(row.outcome)), row.expected);
}

TEST(Judge, give_up_ends_the_round_at_client_errors_only) {
  const std::vector<Row> rows{
      {answer(400), "dead given_up PERMANENT willing"},
      {answer(302), "dead given_up PERMANENT willing"},
      {answer(409), "dead given_up CONFLICT willing"},
      {answer(410), "retry 1000 PERMANENT willing"},
      {answer(408), "retry 1000 TRANSIENT willing"},
      {answer(429), "retry 1000 THROTTLED throttled"},
      {answer(500), "retry 1000 TRANSIENT willing"},
      {no_answer(NoAnswer::Trouble::certificate, false), "dead given_up PERMANENT"},
      {no_answer(NoAnswer::Trouble::connect, false), "retry 1000 TRANSIENT"},
      {no_answer(NoAnswer::Trouble::timed_out, true), "unknown 1000 UNKNOWN_OUTCOME"},
  };
  for (const Row& row : rows) EXPECT_EQ(describe(judge_with(row.outcome, rules(ClientErrors::give_up))), row.expected);
}

TEST(Judge, the_last_counted_failure_ends_the_round_and_says_whether_it_was_in_doubt) {
  JudgedAttempt last = first_attempt();
  last.before.counted = 4;
  EXPECT_EQ(describe(judge_with(answer(500), rules(), last)), "dead attempts_exhausted TRANSIENT willing");
  EXPECT_EQ(describe(judge_with(no_answer(NoAnswer::Trouble::timed_out, true), rules(), last)),
            "dead attempts_exhausted in doubt UNKNOWN_OUTCOME");
}

TEST(Judge, a_connection_that_died_idle_is_unknown_and_one_further_attempt_goes_at_once_uncounted) {
  NoAnswer stale = no_answer(NoAnswer::Trouble::connection_lost, true);
  stale.stale_connection = true;
  const Verdict first = judge_with(stale);
  EXPECT_EQ(describe(first), "unknown 0 extra UNKNOWN_OUTCOME");
  EXPECT_EQ(first.after.counted, 1u);

  JudgedAttempt further = first_attempt();
  further.counts = false;
  further.before = first.after;
  const Verdict second = judge_with(answer(500), rules(), further);
  EXPECT_EQ(describe(second), "retry 1000 TRANSIENT willing");
  EXPECT_EQ(second.after.counted, 1u);
}

TEST(Judge, parked_uses_no_attempt_is_asked_again_in_30_s_doubling_to_an_hour_and_ends_after_seven_days) {
  const std::vector<std::pair<std::uint32_t, std::string>> rows{{0, "parked 30000 willing"},
                                                                {1, "parked 60000 willing"},
                                                                {6, "parked 1920000 willing"},
                                                                {7, "parked 3600000 willing"},
                                                                {4'000'000'000u, "parked 3600000 willing"}};
  for (const auto& [asks, expected] : rows) {
    JudgedAttempt attempt = first_attempt();
    attempt.parked_asks = asks;
    attempt.parked_since = kNow - hours(1);
    const Verdict verdict = judge_with(answer(202, "parked"), rules(), attempt);
    EXPECT_EQ(describe(verdict), expected);
    EXPECT_EQ(verdict.after.counted, 0u);
  }
  JudgedAttempt old = first_attempt();
  old.parked_since = kNow - hours(24 * 7);
  EXPECT_EQ(describe(judge_with(answer(202, "parked"), rules(), old)), "dead parked_too_long in doubt willing");
}

TEST(Judge, the_policy_clock_stands_still_while_retry_after_is_obeyed) {
  const Verdict throttled = judge_with(answer(503, {}, "30"));
  EXPECT_EQ(throttled.after.clock_origin, kNow + seconds(30));
  const Verdict failed = judge_with(answer(500));
  EXPECT_EQ(failed.after.clock_origin, kNow);
}

// Else a receiver that asks for no wait at all would keep a round open for ever that ends by its time.
TEST(Judge, the_policy_clock_goes_on_while_the_policy_waits_longer_than_was_asked) {
  JudgeRules an_hour = rules();
  std::get<Spelled>(an_hour.policy).base = hours(1);
  std::get<Spelled>(an_hour.policy).max_delay = hours(1);
  EXPECT_EQ(judge_with(answer(503, {}, "0"), an_hour).after.clock_origin, kNow);
  EXPECT_EQ(judge_with(answer(503, {}, "30"), an_hour).after.clock_origin, kNow + seconds(30));
}

TEST(Judge, keeps_the_receivers_reason_of_a_rejection) {
  Answer rejected = answer(422, "rejected");
  rejected.body_excerpt = R"({"status":"rejected","reason":"late"})";
  EXPECT_EQ(judge_with(rejected).reason, "late");
  rejected.body_excerpt = "<html>";
  EXPECT_EQ(judge_with(rejected).reason, "");
}

TEST(Judge, cuts_a_long_reason_between_two_characters) {
  Answer rejected = answer(422, "rejected");
  rejected.body_excerpt = R"({"reason":")" + std::string(199, 'x') + "\u20ac" + R"("})";
  EXPECT_EQ(judge_with(rejected).reason, std::string(199, 'x'));
  rejected.body_excerpt = R"({"reason":")" + std::string(197, 'x') + "\u20ac\u20ac" + R"("})";
  EXPECT_EQ(judge_with(rejected).reason, std::string(197, 'x') + "\xe2\x82\xac");
}

}  // namespace
}  // namespace semel::retry
