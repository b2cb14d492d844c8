// attempts_test.cc: what is sent without being stored, by who is late, or judged otherwise than it came out is heard
// of.
#include "sim/check/testing/cases.h"

namespace semel::sim {
namespace {

using std::chrono::seconds;

Story::Delivery given(Story& story, Story::EndpointPlan plan = {}) {
  story.add_endpoint(std::move(plan));
  return story.accept_one();
}

// By the deletion of its endpoint.
void cancel(Story& story, const Story::Delivery& delivery) {
  story.tell([&](Checker& checker) { checker.endpoint_delete_asked(delivery.endpoint); });
  story.row(delivery).state = delivery::Cancelled{};
}

TEST(AttemptLedger, hears_of_requests_without_a_row_and_rows_without_an_outcome) {
  expect_heard({
      {"no row", "I-ATTEMPT-LEDGER", [](Story& story) { story.leave(given(story)); }},
      {"its commit was in doubt", "I-ATTEMPT-LEDGER",
       [](Story& story) {
         const auto delivery = given(story);
         story.begin(delivery, {}, CommitFate::in_doubt);
         story.leave(delivery);
       }},
      {"two requests of one attempt", "I-ATTEMPT-LEDGER",
       [](Story& story) {
         const auto delivery = given(story);
         story.begin(delivery), story.leave(delivery), story.leave(delivery);
       }},
      {"a number is passed over", "I-ATTEMPT-LEDGER",
       [](Story& story) {
         story.begin(given(story), [](store::StartAttempt& start) { start.state.attempt = start.record.attempts = 2; });
       }},
      {"a request of no delivery", "I-ATTEMPT-LEDGER",
       [](Story& story) {
         const auto delivery = given(story);
         story.begin(delivery);
         story.leave(delivery, [](WireRequest& request) { request.headers[0].second = "evt_9"; });
       }},
      {"a row is gone", "I-ATTEMPT-LEDGER",
       [](Story& story) {
         const auto delivery = given(story);
         story.deliver(delivery);
         story.rows(delivery).clear();
         story.inspect(Inspection::When::healed);
       }},
      {"an outcome is gone", "I-ATTEMPT-LEDGER",
       [](Story& story) {
         const auto delivery = given(story);
         story.deliver(delivery);
         story.rows(delivery)[0].outcomes.clear();
         story.inspect(Inspection::When::healed);
       }},
      {"what came after a deletion is gone", "I-ATTEMPT-LEDGER",
       [](Story& story) {
         const auto delivery = given(story);
         story.begin(delivery);
         cancel(story, delivery);
         story.end();
       }},
      {"what came after a deletion and a crash is gone", "",
       [](Story& story) {
         const auto delivery = given(story);
         story.begin(delivery);
         cancel(story, delivery);
         story.restart();
         story.end();
       }},
      {"an outcome is another", "I-ATTEMPT-LEDGER",
       [](Story& story) {
         const auto delivery = given(story);
         story.deliver(delivery);
         story.rows(delivery)[0].outcomes[0].result = "retry";
         story.inspect(Inspection::When::healed);
       }},
      {"its round is another", "I-ATTEMPT-LEDGER",
       [](Story& story) {
         const auto delivery = given(story);
         story.deliver(delivery);
         story.rows(delivery)[0].round = 2;
         story.inspect(Inspection::When::healed);
       }},
      {"one is in flight while it is looked at", "",
       [](Story& story) {
         story.begin(given(story));
         story.inspect(Inspection::When::healed);
       }},
      {"the network repeats a request", "",
       [](Story& story) {
         const auto delivery = given(story);
         story.begin(delivery), story.leave(delivery);
         const WireRequest again{.connection = {9},
                                 .number = 1,
                                 .to = {},
                                 .method = "POST",
                                 .target = "/1",
                                 .headers = {{"webhook-id", "evt_1"}, {"semel-attempt", "1"}},
                                 .body = {},
                                 .replayed = true};
         story.tell([&](Checker& checker) { checker.request_arrived(again, story.known.endpoint(delivery.endpoint)); });
       }},
  });
}

TEST(NoSendAfterConfirm, hears_of_an_attempt_on_a_delivery_that_is_over) {
  expect_heard({
      {"delivered", "I-NO-SEND-AFTER-CONFIRM",
       [](Story& story) {
         const auto delivery = given(story);
         story.deliver(delivery), story.begin(delivery);
       }},
      {"dead", "I-NO-SEND-AFTER-CONFIRM",
       [](Story& story) {
         const auto delivery = given(story);
         story.attempt(delivery, {.status = 500}, {.result = "dead"});
         story.begin(delivery);
       }},
      {"replayed in between", "",
       [](Story& story) {
         const auto delivery = given(story);
         story.deliver(delivery), story.replay(delivery), story.begin(delivery);
       }},
      {"replayed in between, and nobody heard of it", "",
       [](Story& story) {
         const auto delivery = given(story);
         story.deliver(delivery), story.crash();
         store::DeliveryView& row = story.row(delivery);
         ++row.version.value, ++row.record.round, row.state = delivery::Due{}, row.record.progress = {};
         story.inspect(Inspection::When::restarted);
         story.begin(delivery);
       }},
  });
}

TEST(Fencing, hears_of_writes_by_who_is_late) {
  expect_heard({
      {"with an older fence", "I-FENCE",
       [](Story& story) {
         const auto delivery = given(story);
         story.restart();
         story.begin(delivery, [](store::StartAttempt& start) { start.fence = {1}; });
       }},
      {"a change with an older fence", "I-FENCE",
       [](Story& story) {
         const auto delivery = given(story);
         story.restart();
         story.commit(store::ChangeDelivery{.tenant = {1},
                                            .fence = {1},
                                            .endpoint = {1},
                                            .delivery = delivery.key,
                                            .version = {1},
                                            .state = delivery::Due{},
                                            .record = {}},
                      CommitFate::late);
       }},
      {"one that conflicts", "",
       [](Story& story) {
         const auto delivery = given(story);
         story.restart();
         story.commit(store::ChangeDelivery{.tenant = {1},
                                            .fence = {1},
                                            .endpoint = {1},
                                            .delivery = delivery.key,
                                            .version = {1},
                                            .state = delivery::Due{},
                                            .record = {}},
                      CommitFate::late, store::Conflict{});
       }},
      {"two at one version", "I-FENCE",
       [](Story& story) {
         const auto delivery = given(story);
         story.begin(delivery);
         story.commit(store::ChangeDelivery{.tenant = {1},
                                            .fence = {1},
                                            .endpoint = {1},
                                            .delivery = delivery.key,
                                            .version = {1},
                                            .state = delivery::Due{},
                                            .record = {}});
       }},
      {"a start with the fence of the one before", "I-FENCE",
       [](Story& story) { story.tell([](Checker& checker) { checker.started(kServerProcess, Fence{1}); }); }},
  });
}

TEST(MarkAfter2xx, hears_of_delivered_marks_without_a_complete_2xx) {
  static const auto marked_after = [](Story& story, const Story::Answered& answered) {
    story.attempt(given(story), answered, {});
  };
  expect_heard({
      {"200", "", [](Story& story) { marked_after(story, {}); }},
      {"no answer", "I-MARK-AFTER-2XX",
       [](Story& story) {
         const auto delivery = given(story);
         story.begin(delivery), story.leave(delivery), story.settle(delivery);
       }},
      {"301", "I-MARK-AFTER-2XX", [](Story& story) { marked_after(story, {.status = 301}); }},
      {"500", "I-MARK-AFTER-2XX", [](Story& story) { marked_after(story, {.status = 500}); }},
      {"broken off", "I-MARK-AFTER-2XX", [](Story& story) { marked_after(story, {.complete = false}); }},
      {"parked", "I-MARK-AFTER-2XX",
       [](Story& story) { marked_after(story, {.status = 202, .disposition = "parked"}); }},
      {"the answer to another attempt", "I-MARK-AFTER-2XX",
       [](Story& story) {
         const auto delivery = given(story);
         story.attempt(delivery, {}, {.result = "unknown", .delay = seconds(5)});
         story.pass(seconds(5));
         story.begin(delivery), story.leave(delivery), story.settle(delivery);
       }},
      {"in the rows alone", "I-MARK-AFTER-2XX",
       [](Story& story) {
         const auto delivery = given(story);
         story.fail(delivery);
         story.rows(delivery)[0].outcomes[0].result = "delivered";
         story.inspect(Inspection::When::healed);
       }},
  });
}

TEST(UnknownNotFailed, hears_of_doubt_that_is_forgotten) {
  static const auto without_answer = [](Story& story, const Story::Settled& settled,
                                        Story::But<store::SettleAttempt> but = {}) {
    const auto delivery = given(story);
    story.begin(delivery), story.leave(delivery), story.settle(delivery, settled, but);
  };
  expect_heard({
      {"unknown", "", [](Story& story) { without_answer(story, {.result = "unknown"}); }},
      {"failed", "I-UNKNOWN-NOT-FAILED", [](Story& story) { without_answer(story, {.result = "retry"}); }},
      {"nothing had left", "",
       [](Story& story) {
         const auto delivery = given(story);
         story.begin(delivery), story.settle(delivery, {.result = "retry"});
       }},
      {"broken off", "I-UNKNOWN-NOT-FAILED",
       [](Story& story) { story.attempt(given(story), {.complete = false}, {.result = "retry"}); }},
      {"504", "I-UNKNOWN-NOT-FAILED",
       [](Story& story) { story.attempt(given(story), {.status = 504}, {.result = "retry"}); }},
      {"dead without a word of it", "I-UNKNOWN-NOT-FAILED",
       [](Story& story) { without_answer(story, {.result = "dead", .failure = FailureClass::unknown_outcome}); }},
      {"dead after doubt, without a word of it", "I-UNKNOWN-NOT-FAILED",
       [](Story& story) {
         const auto delivery = given(story);
         story.begin(delivery), story.leave(delivery), story.settle(delivery, {.result = "unknown"});
         story.pass(seconds(6)), story.begin(delivery), story.leave(delivery);
         story.answer(delivery, {.status = 500});
         story.settle(delivery, {.result = "dead"},
                      [](store::SettleAttempt& settle) { settle.record.unsettled = false; });
       }},
      {"the row says otherwise", "I-UNKNOWN-NOT-FAILED",
       [](Story& story) {
         const auto delivery = given(story);
         story.begin(delivery), story.leave(delivery), story.settle(delivery, {.result = "unknown"});
         story.rows(delivery)[0].outcomes[0].result = "retry";
         story.inspect(Inspection::When::healed);
       }},
      {"rows of a dead one say so and the delivery does not", "I-UNKNOWN-NOT-FAILED",
       [](Story& story) {
         const auto delivery = given(story);
         story.begin(delivery), story.leave(delivery), story.settle(delivery, {.result = "unknown"});
         story.crash();
         story.row(delivery).state = delivery::Dead{{}, "attempts_exhausted"};
         story.row(delivery).record.unsettled = false;
         ++story.row(delivery).version.value;
         story.inspect(Inspection::When::healed);
       }},
      {"a hostile one sends no HTTP", "",
       [](Story& story) {
         const auto delivery = given(story, {.kind = ReceiverKind::hostile});
         story.begin(delivery), story.leave(delivery);
         story.settle(delivery, {.result = "retry", .reason = "malformed_answer"});
       }},
  });
}

}  // namespace
}  // namespace semel::sim
