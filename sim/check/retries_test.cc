// retries_test.cc: what is tried too often, too early or too late is heard of.
#include "sim/check/testing/cases.h"

#include "sim/check/pace.h"

namespace semel::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

const retry::Policy kThrice = retry::Spelled{.base = seconds(1),
                                             .factor = 2,
                                             .max_delay = minutes(1),
                                             .max_elapsed = {},
                                             .max_attempts = 3,
                                             .jitter = retry::Jitter::none};
const retry::Policy kTenMinutes = retry::Spelled{.base = seconds(1),
                                                 .factor = 2,
                                                 .max_delay = minutes(10),
                                                 .max_elapsed = minutes(10),
                                                 .max_attempts = {},
                                                 .jitter = retry::Jitter::full};

Story::Delivery given(Story& story, const retry::Policy& policy = retry::Named::standard) {
  story.add_endpoint({.policy = policy});
  return story.accept_one();
}

TEST(Pace, is_what_the_documents_say) {
  struct Row {
    retry::Policy policy;
    std::uint32_t failed;
    seconds delay;
  };
  const std::vector<Row> rows{{retry::Named::standard, 1, seconds(5)},
                              {retry::Named::standard, 2, minutes(5)},
                              {retry::Named::standard, 3, minutes(30)},
                              {retry::Named::standard, 9, hours(24)},
                              {retry::Named::five_minutes, 1, seconds(1)},
                              {retry::Named::five_minutes, 4, seconds(64)},
                              {kThrice, 1, seconds(1)},
                              {kThrice, 2, seconds(2)}};
  for (const Row& row : rows) {
    const DelayRange range = delay_range(row.policy, row.failed, std::nullopt);
    EXPECT_LE(range.low, row.delay) << row.failed;
    EXPECT_GE(range.high, row.delay) << row.failed;
    EXPECT_LE(range.high - range.low, milliseconds(row.delay) / 5 + milliseconds(2)) << row.failed;
  }
  EXPECT_EQ(most_attempts(retry::Named::standard), 10u);
  EXPECT_EQ(most_attempts(retry::Named::five_minutes), 6u);
  EXPECT_EQ(most_attempts(kThrice), 3u);
  EXPECT_EQ(parked_delay(0), seconds(30));
  EXPECT_EQ(parked_delay(6), minutes(32));
  EXPECT_EQ(parked_delay(7), hours(1));
  EXPECT_EQ(asked_wait("7200").low, hours(1));
  EXPECT_EQ(asked_wait("Sun, 06 Nov 1994 08:49:37 GMT").low, seconds(0));
}

TEST(RetryBound, hears_of_rounds_that_go_on_too_long) {
  expect_heard({
      {"three of three, then dead", "",
       [](Story& story) {
         const auto delivery = given(story, kThrice);
         story.fail(delivery, seconds(1)), story.pass(seconds(1));
         story.fail(delivery, seconds(2)), story.pass(seconds(2));
         story.attempt(delivery, {.status = 500}, {.result = "dead"});
       }},
      {"a third retry of three", "I-RETRY-BOUND",
       [](Story& story) {
         const auto delivery = given(story, kThrice);
         story.fail(delivery, seconds(1)), story.pass(seconds(1));
         story.fail(delivery, seconds(2)), story.pass(seconds(2));
         story.fail(delivery, seconds(4));
       }},
      {"attempts are not counted", "I-RETRY-BOUND",
       [](Story& story) {
         const auto delivery = given(story, kThrice);
         story.begin(delivery), story.leave(delivery), story.answer(delivery, {.status = 500});
         story.settle(delivery, {.result = "retry", .delay = seconds(1)},
                      [](store::SettleAttempt& settle) { settle.record.progress.counted = 0; });
       }},
      {"a count is forgotten over a restart", "I-RETRY-BOUND",
       [](Story& story) {
         const auto delivery = given(story, kThrice);
         story.fail(delivery, seconds(1));
         story.row(delivery).record.progress.counted = 0;
         story.restart();
       }},
      {"an attempt does not count, for no reason", "I-RETRY-BOUND",
       [](Story& story) {
         const auto delivery = given(story, kThrice);
         story.begin(delivery, [](store::StartAttempt& start) { start.state.counts = false; });
       }},
      {"a further attempt after a fresh connection broke", "I-RETRY-BOUND",
       [](Story& story) {
         const auto delivery = given(story, kThrice);
         story.begin(delivery), story.leave(delivery);
         story.settle(delivery,
                      {.result = "unknown", .delay = seconds(0), .reason = "connection_lost", .extra_attempt = true});
       }},
      {"a further attempt after an idle connection broke", "",
       [](Story& story) {
         const auto delivery = given(story, kThrice);
         story.begin(delivery), story.leave(delivery, [](WireRequest& request) { request.number = 2; });
         story.settle(delivery,
                      {.result = "unknown", .delay = seconds(0), .reason = "connection_lost", .extra_attempt = true});
         story.deliver(delivery);
       }},
      {"its time is over", "I-RETRY-BOUND",
       [](Story& story) {
         const auto delivery = given(story, kTenMinutes);
         story.begin(delivery), story.pass(minutes(10)), story.leave(delivery);
         story.answer(delivery, {.status = 500});
         story.settle(delivery, {.result = "retry", .delay = milliseconds(500)});
       }},
      {"a lapsed attempt uses up nothing", "",
       [](Story& story) {
         const auto delivery = given(story, kThrice);
         for (int i = 0; i < 5; ++i) {
           story.begin(delivery), story.restart();
           story.settle(delivery, {.result = "unknown", .delay = seconds(0), .reason = "lapsed"});
         }
       }},
  });
}

TEST(BackoffMono, hears_of_what_comes_before_its_time) {
  expect_heard({
      {"in time", "",
       [](Story& story) {
         const auto delivery = given(story);
         story.fail(delivery), story.pass(seconds(5)), story.begin(delivery);
       }},
      {"early", "I-BACKOFF-MONO",
       [](Story& story) {
         const auto delivery = given(story);
         story.fail(delivery), story.pass(seconds(4)), story.begin(delivery);
       }},
      {"early, but a person asked for it", "",
       [](Story& story) {
         const auto delivery = given(story);
         story.fail(delivery);
         store::DeliveryView& row = story.row(delivery);
         row.state = delivery::Due{story.known.wall};
         story.commit(store::ChangeDelivery{.tenant = {1},
                                            .fence = story.known.fence,
                                            .endpoint = {1},
                                            .delivery = delivery.key,
                                            .version = row.version,
                                            .state = row.state,
                                            .record = row.record});
         ++row.version.value;
         story.begin(delivery);
       }},
      {"the wall clock jumped long after it was judged", "I-BACKOFF-MONO",
       [](Story& story) {
         const auto delivery = given(story);
         story.fail(delivery), story.pass(seconds(5)), story.fail(delivery, minutes(5));
         story.pass(seconds(5 * 60 + 1) - seconds(2));
         story.known.wall_stepped_at.push_back(story.known.now + seconds(30));
         story.begin(delivery);
       }},
      {"after a crash nobody measures", "",
       [](Story& story) {
         const auto delivery = given(story);
         story.fail(delivery), story.restart(), story.begin(delivery);
       }},
      {"sooner than the policy says", "I-BACKOFF-MONO", [](Story& story) { story.fail(given(story), seconds(1)); }},
      {"later than the policy says", "I-BACKOFF-MONO", [](Story& story) { story.fail(given(story), seconds(6)); }},
      {"later, because it was asked to wait", "",
       [](Story& story) {
         story.attempt(given(story), {.status = 503, .disposition = "", .retry_after = "60"},
                       {.result = "retry", .delay = seconds(60)});
       }},
      {"it was asked to wait, and does not", "I-BACKOFF-MONO",
       [](Story& story) {
         story.attempt(given(story), {.status = 429, .disposition = "", .retry_after = "60"},
                       {.result = "retry", .delay = seconds(5)});
       }},
      {"more than an hour, because it was asked to", "I-BACKOFF-MONO",
       [](Story& story) {
         story.attempt(given(story), {.status = 503, .disposition = "", .retry_after = "86400"},
                       {.result = "retry", .delay = hours(24)});
       }},
      {"parked, asked again too soon", "I-BACKOFF-MONO",
       [](Story& story) {
         const auto delivery = given(story);
         story.attempt(delivery, {.status = 202, .disposition = "parked"}, {.result = "parked", .delay = seconds(30)});
         story.pass(seconds(20)), story.begin(delivery);
       }},
      {"parked, asked again when the one before it is closed", "",
       [](Story& story) {
         story.add_endpoint({.ordering = endpoint::Ordering::none});
         const auto first = story.accept_one(), second = story.accept_one();
         story.attempt(second, {.status = 202, .disposition = "parked"}, {.result = "parked", .delay = seconds(30)});
         story.deliver(first), story.begin(second);
       }},
  });
}

TEST(BackoffMono, hears_of_an_endpoint_that_is_not_left_alone) {
  static const auto during_a_wait = [](Story& story, Nanoseconds when, bool jump) {
    story.add_endpoint({});
    const auto delivery = story.accept_one({.key = "a"});
    const auto other = story.accept_one({.key = "b"});
    story.begin(delivery), story.leave(delivery);
    story.answer(delivery, {.status = 503, .disposition = "", .retry_after = "1800"});
    story.settle(delivery, {.result = "retry", .delay = minutes(30)}, [](store::SettleAttempt& settle) {
      settle.endpoint_wait = admission::Wait{.until = settle.outcome.at + minutes(30)};
    });
    story.pass(minutes(8));
    story.tell([](Checker& checker) { checker.connect_asked(kServerProcess, {}); });  // somebody else's attempt
    if (jump) story.known.wall_stepped_at.push_back(story.known.now);
    story.heard.clear();  // that connection went nowhere
    story.pass(when - minutes(8));
    story.begin(other);
  };
  Story story;
  during_a_wait(story, minutes(20), false);
  EXPECT_TRUE(story.heard.contains("I-BACKOFF-MONO"));
  Story jumped;
  during_a_wait(jumped, minutes(20), true);
  EXPECT_TRUE(jumped.heard.contains("I-BACKOFF-MONO"));
  Story patient;
  during_a_wait(patient, minutes(30), false);
  EXPECT_FALSE(patient.heard.contains("I-BACKOFF-MONO")) << patient.heard["I-BACKOFF-MONO"];
}

}  // namespace
}  // namespace semel::sim
