// failpoint_test.cc: killed at one named line, then started again: what was promised must hold.
#include <csignal>

#include "support/ledger.h"
#include "support/rig.h"

namespace semel::tests {
namespace {

using harness::ApiAnswer;

constexpr std::string_view kEvent = R"({"type":"shipment.created","ordering_key":"SHP-1","data":{"n":1}})";
const harness::HttpHeaders kKey = {{"idempotency-key", "\"first-try\""}};

class Failpoint : public Rig {
 protected:
  // Sends the event to a server that is killed by it; no answer may come.
  void send_into_the_kill(harness::SemelServer& server) {
    const Result<ApiAnswer> answer = server.api().post("/v1/events", kEvent, kKey);
    EXPECT_FALSE(answer) << answer->body();
    const std::optional<harness::Exit> exit = server.process().wait(kPatience);
    ASSERT_TRUE(exit);
    EXPECT_EQ(exit->signal, SIGKILL);
  }

  static void restart_without_failpoints(harness::SemelServer& server) {
    server.set_environment({});
    const Result<void> started = server.start();
    ASSERT_TRUE(started) << note_of(started);
  }

  static std::size_t events_stored(const harness::SemelServer& server) {
    const Result<ApiAnswer> list = server.api().get("/v1/events");
    return list ? list->root().find("events")->size() : 0;
  }
};

TEST_F(Failpoint, killed_before_the_commit_nothing_is_there_and_the_repetition_is_the_first) {
  harness::SemelServer server = make_server({{"SEMEL_FP", "enq.after_insert:kill@1"}});
  ASSERT_TRUE(server.start());
  send_into_the_kill(server);
  restart_without_failpoints(server);
  EXPECT_EQ(events_stored(server), 0u);

  const Result<ApiAnswer> again = server.api().post("/v1/events", kEvent, kKey);
  ASSERT_TRUE(again) << note_of(again);
  EXPECT_EQ(again->status(), 202);
  EXPECT_EQ(again->text("duplicate"), "false");
  EXPECT_EQ(again->text("sequence"), "1");
  EXPECT_EQ(again->http().header("idempotent-replayed"), "");
}

TEST_F(Failpoint, killed_between_commit_and_answer_the_repetition_gets_the_stored_event) {
  harness::SemelServer server = make_server({{"SEMEL_FP", "enq.after_commit:kill@1"}});
  ASSERT_TRUE(server.start());
  send_into_the_kill(server);
  restart_without_failpoints(server);
  ASSERT_EQ(events_stored(server), 1u);

  const Result<ApiAnswer> again = server.api().post("/v1/events", kEvent, kKey);
  ASSERT_TRUE(again) << note_of(again);
  EXPECT_EQ(again->status(), 202);
  EXPECT_EQ(again->text("sequence"), "1");
  EXPECT_EQ(again->http().header("idempotent-replayed"), "true");
  EXPECT_EQ(events_stored(server), 1u);
}

TEST_F(Failpoint, killed_between_request_and_outcome_the_attempt_lapses_and_the_effect_stays_one) {
  harness::SemelListener listener = make_listener();
  ASSERT_TRUE(listener.start());
  harness::SemelServer server = make_server({{"SEMEL_FP", "send.request_done:kill@1"}});
  ASSERT_TRUE(server.start());
  make_endpoint(server, listener.url(), kQuickPolicy);
  const Result<ApiAnswer> accepted = server.api().post("/v1/events", kEvent, kKey);
  ASSERT_TRUE(server.process().wait(kPatience));
  restart_without_failpoints(server);

  // The answer to the producer may or may not have come before the kill; the repetition tells the ids.
  const Result<ApiAnswer> again = server.api().post("/v1/events", kEvent, kKey);
  ASSERT_TRUE(again) << note_of(again);
  harness::ApiClient api = server.api();
  const std::optional<ApiAnswer> delivered =
      harness::wait_for_state(api, only_delivery(*again), "delivered", kPatience);
  ASSERT_TRUE(delivered);
  EXPECT_EQ(outcome_of(*delivered, 1), "unknown lapsed");
  EXPECT_EQ(delivered->text("attempts"), "2");
  EXPECT_EQ(delivered->text("counted"), "1");
  ASSERT_TRUE(listener.stop());
  EXPECT_EQ(effects_in(listener.ledger()), 1);
}

TEST_F(Failpoint, a_receiver_killed_between_commit_and_answer_says_duplicate_when_asked_again) {
  harness::SemelListener listener = make_listener({}, {{"SEMEL_FP", "in.committed:kill@1"}});
  ASSERT_TRUE(listener.start());
  harness::SemelServer server = make_server();
  ASSERT_TRUE(server.start());
  make_endpoint(server, listener.url(), kQuickPolicy);
  const Result<ApiAnswer> accepted = server.api().post("/v1/events", kEvent, kKey);
  ASSERT_TRUE(accepted) << note_of(accepted);
  const std::optional<harness::Exit> exit = listener.process().wait(kPatience);
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->signal, SIGKILL);
  listener.set_environment({});
  const Result<void> started = listener.start();
  ASSERT_TRUE(started) << note_of(started);

  harness::ApiClient api = server.api();
  const std::optional<ApiAnswer> delivered =
      harness::wait_for_state(api, only_delivery(*accepted), "delivered", kPatience);
  ASSERT_TRUE(delivered);
  EXPECT_EQ(outcome_of(*delivered, 1), "unknown connection_lost");
  const auto attempts = static_cast<std::size_t>(harness::number_of(delivered->root(), "attempts"));
  EXPECT_EQ(outcome_of(*delivered, attempts), "delivered duplicate");
  ASSERT_TRUE(listener.stop());
  EXPECT_EQ(effects_in(listener.ledger()), 1);
}

}  // namespace
}  // namespace semel::tests
