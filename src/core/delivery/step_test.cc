// step_test.cc: every input on every state.
#include "core/delivery/step.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/match.h"

namespace semel::delivery {
namespace {

using std::chrono::seconds;

constexpr WallTime kNow{10'000};
constexpr WallTime kSoon{12'000};

const InFlight kFlight{.attempt = 3, .started_at = WallTime{9'000}, .counts = true};

std::vector<State> all_states() {
  return {Due{kSoon},
          kFlight,
          Unknown{.at = kSoon, .extra_attempt = false},
          Parked{kSoon},
          Delivered{WallTime{8'000}},
          Dead{WallTime{8'000}, "attempts_exhausted"},
          Cancelled{WallTime{8'000}, "endpoint_deleted"}};
}

Record third_attempt() {
  Record record;
  record.attempts = 3;
  record.progress = {.counted = 2, .clock_origin = WallTime{5'000}, .last_delay = {}};
  return record;
}

retry::Verdict verdict(retry::Decision decision) {
  return {.decision = std::move(decision),
          .failure = {},
          .after = {.counted = 3, .clock_origin = WallTime{5'000}, .last_delay = seconds(1)},
          .endpoint = retry::EndpointSignal::none,
          .endpoint_wait = {},
          .odd_disposition = false,
          .reason = {}};
}

std::string outcome_of(const Step& step) { return step ? name_of(name_of(step->next)) : name_of(step.error()); }

TEST(DeliveryStep, start_attempt_on_every_state) {
  const std::vector<std::string> expected{"in_flight",    "not_sendable", "in_flight",   "in_flight",
                                          "already_over", "already_over", "already_over"};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(outcome_of(start_attempt(all_states()[i], third_attempt(), kNow)), expected[i]) << i;
}

TEST(DeliveryStep, settle_on_every_state) {
  const std::vector<std::string> expected{"not_in_flight", "delivered",    "not_in_flight", "not_in_flight",
                                          "already_over",  "already_over", "already_over"};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(outcome_of(settle(all_states()[i], third_attempt(), verdict(retry::Delivered{}), kNow)), expected[i])
        << i;
}

TEST(DeliveryStep, lapsed_on_every_state) {
  const std::vector<std::string> expected{"not_in_flight", "unknown",       "not_in_flight", "not_in_flight",
                                          "not_in_flight", "not_in_flight", "not_in_flight"};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(outcome_of(lapsed(all_states()[i], third_attempt(), kNow)), expected[i]) << i;
}

TEST(DeliveryStep, cancel_on_every_state) {
  const std::vector<std::string> expected{"cancelled",    "cancelled",    "cancelled",   "cancelled",
                                          "already_over", "already_over", "already_over"};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(outcome_of(cancel(all_states()[i], third_attempt(), "endpoint_deleted", kNow)), expected[i]) << i;
}

TEST(DeliveryStep, replay_on_every_state) {
  const std::vector<std::string> expected{
      "due already_open", "not_sendable", "unknown already_open", "parked already_open", "due", "due", "due"};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto replayed = replay(all_states()[i], third_attempt(), kNow);
    const std::string outcome = replayed ? std::string(name_of(name_of(replayed->transition.next))) +
                                               (replayed->already_open ? " already_open" : "")
                                         : name_of(replayed.error());
    EXPECT_EQ(outcome, expected[i]) << i;
  }
}

TEST(DeliveryStep, an_attempt_gets_the_next_number_and_the_first_of_a_round_starts_the_policy_clock) {
  Record fresh;
  const Step first = start_attempt(Due{kNow}, fresh, kNow);
  EXPECT_EQ(std::get<InFlight>(first->next).attempt, 1u);
  EXPECT_EQ(first->record.progress.clock_origin, kNow);
  const Step fourth = start_attempt(Due{kNow}, third_attempt(), kNow);
  EXPECT_EQ(std::get<InFlight>(fourth->next).attempt, 4u);
  EXPECT_EQ(fourth->record.progress.clock_origin, WallTime{5'000});
}

TEST(DeliveryStep, only_the_further_attempt_after_an_idle_death_does_not_count) {
  EXPECT_TRUE(std::get<InFlight>(start_attempt(Due{kNow}, {}, kNow)->next).counts);
  EXPECT_TRUE(std::get<InFlight>(start_attempt(Parked{kNow}, {}, kNow)->next).counts);
  EXPECT_TRUE(std::get<InFlight>(start_attempt(Unknown{kNow, false}, {}, kNow)->next).counts);
  EXPECT_FALSE(std::get<InFlight>(start_attempt(Unknown{kNow, true}, {}, kNow)->next).counts);
}

TEST(DeliveryStep, each_verdict_has_its_state_its_time_and_its_doubt) {
  struct Row {
    retry::Decision decision;
    std::string state;
    bool unsettled_before;
    bool unsettled_after;
    Consequence consequence;
  };
  const std::vector<Row> rows{
      {retry::Delivered{}, "delivered", true, false, Consequence::line_moves},
      {retry::RetryAt{kSoon, FailureClass::transient}, "due", false, false, Consequence::none},
      {retry::RetryAt{kSoon, FailureClass::transient}, "due", true, true, Consequence::none},
      {retry::ParkedUntil{kSoon}, "parked", false, true, Consequence::none},
      {retry::UnknownUntil{kSoon}, "unknown", false, true, Consequence::none},
      {retry::DeadNow{"attempts_exhausted", FailureClass::transient, false}, "dead", false, false, Consequence::none},
      {retry::DeadNow{"attempts_exhausted", FailureClass::transient, false}, "dead", true, true, Consequence::none},
      {retry::DeadNow{"attempts_exhausted", FailureClass::unknown_outcome, true}, "dead", false, true,
       Consequence::none},
      {retry::DeadNow{"rejected_by_receiver", FailureClass::permanent, false}, "dead", true, true, Consequence::none},
  };
  for (const Row& row : rows) {
    Record record = third_attempt();
    record.unsettled = row.unsettled_before;
    const Step step = settle(kFlight, record, verdict(row.decision), kNow);
    EXPECT_EQ(outcome_of(step), row.state);
    EXPECT_EQ(step->record.unsettled, row.unsettled_after) << row.state;
    EXPECT_EQ(step->consequence, row.consequence) << row.state;
    EXPECT_EQ(step->record.progress.counted, 3u);
    const bool doubted = row.unsettled_after && (row.state == "dead");
    EXPECT_EQ(may_have_happened(step->next, step->record), doubted) << row.state;
  }
}

TEST(DeliveryStep, a_lapsed_attempt_is_due_at_once_in_doubt_and_does_not_count) {
  const Step step = lapsed(kFlight, third_attempt(), kNow);
  EXPECT_EQ(std::get<Unknown>(step->next).at, kNow);
  EXPECT_FALSE(std::get<Unknown>(step->next).extra_attempt);
  EXPECT_TRUE(step->record.unsettled);
  EXPECT_EQ(step->record.progress.counted, 2u);
  const InFlight further{.attempt = 3, .started_at = kNow, .counts = false};
  EXPECT_TRUE(std::get<Unknown>(lapsed(further, third_attempt(), kNow)->next).extra_attempt);
}

TEST(DeliveryStep, cancelling_in_flight_or_parked_leaves_the_doubt_visible) {
  EXPECT_TRUE(
      may_have_happened(Cancelled{kNow, "endpoint_deleted"}, cancel(kFlight, {}, "endpoint_deleted", kNow)->record));
  EXPECT_FALSE(
      may_have_happened(Cancelled{kNow, "endpoint_deleted"}, cancel(Due{kSoon}, {}, "endpoint_deleted", kNow)->record));
  Record parked;
  parked.unsettled = true;
  EXPECT_TRUE(may_have_happened(Cancelled{kNow, "endpoint_deleted"},
                                cancel(Parked{kSoon}, parked, "endpoint_deleted", kNow)->record));
}

TEST(DeliveryStep, parking_remembers_its_start_through_failures_and_counts_its_asks) {
  Record record = third_attempt();
  record = settle(kFlight, record, verdict(retry::ParkedUntil{kSoon}), kNow)->record;
  record = settle(kFlight, record, verdict(retry::RetryAt{kSoon, FailureClass::transient}), kNow + seconds(5))->record;
  record = settle(kFlight, record, verdict(retry::ParkedUntil{kSoon}), kNow + seconds(9))->record;
  EXPECT_EQ(record.parked_since, kNow);
  EXPECT_EQ(record.parked_asks, 2u);
}

TEST(DeliveryStep, a_replay_opens_the_next_round_with_attempt_numbers_running_on) {
  Record record = third_attempt();
  record.unsettled = true;
  record.parked_since = kNow;
  record.parked_asks = 2;
  record.first_delivered_at = WallTime{7'000};
  const auto replayed = replay(Dead{kNow, "attempts_exhausted"}, record, kSoon);
  const Record& next = replayed->transition.record;
  EXPECT_EQ(std::get<Due>(replayed->transition.next).at, kSoon);
  EXPECT_EQ(next.round, 2u);
  EXPECT_EQ(next.attempts, 3u);
  EXPECT_EQ(next.progress.counted, 0u);
  EXPECT_FALSE(next.progress.clock_origin.has_value());
  EXPECT_FALSE(next.parked_since.has_value());
  EXPECT_TRUE(next.unsettled);
  EXPECT_EQ(next.first_delivered_at, WallTime{7'000});
}

TEST(DeliveryStep, a_replay_of_an_open_delivery_makes_it_due_now_and_changes_nothing_else) {
  const auto replayed = replay(Due{kSoon}, third_attempt(), kNow);
  EXPECT_TRUE(replayed->already_open);
  EXPECT_EQ(std::get<Due>(replayed->transition.next).at, kNow);
  EXPECT_EQ(replayed->transition.record.round, 1u);
  EXPECT_EQ(replayed->transition.record.progress.counted, 2u);
}

}  // namespace
}  // namespace semel::delivery
