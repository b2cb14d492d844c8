// delivery_test.cc: what a receiver sees: retries, waits, redirects, lapsed attempts and replays.
#include <csignal>
#include <future>

#include "support/rig.h"
#include "support/scripted_receiver.h"

namespace semel::tests {
namespace {

using harness::ApiAnswer;
using harness::wait_for_state;

constexpr std::string_view kEvent = R"({"type":"shipment.created","ordering_key":"SHP-1","data":{"n": 1,  "m":[]}})";

class DeliveryOverTheWire : public Rig {
 protected:
  void SetUp() override {
    const Result<void> started = server_.start();
    ASSERT_TRUE(started) << note_of(started);
  }
  std::string send_event() {
    const Result<ApiAnswer> accepted = server_.api().post("/v1/events", kEvent);
    EXPECT_TRUE(accepted) << note_of(accepted);
    if (!accepted) return {};
    EXPECT_EQ(accepted->status(), 202) << accepted->body();
    return only_delivery(*accepted);
  }
  harness::SemelServer server_ = make_server();
};

std::string without_round(std::string body) {
  const std::size_t at = body.find("\"round\":");
  return at == std::string::npos ? body : body.replace(at + 8, 1, "?");
}

TEST_F(DeliveryOverTheWire, a_replay_of_a_dead_delivery_sends_the_same_id_and_bytes_in_its_next_round) {
  ScriptedReceiver receiver([](const Received&, std::size_t) { return answer(500); });
  make_endpoint(server_, receiver.url(),
                R"("retry_policy":{"max_attempts":2,"base":"20ms","factor":1,"max_delay":"20ms"})");
  const std::string delivery = send_event();
  harness::ApiClient api = server_.api();
  const std::optional<ApiAnswer> dead = wait_for_state(api, delivery, "dead", kPatience);
  ASSERT_TRUE(dead);
  EXPECT_EQ(dead->text("reason"), "attempts_exhausted");
  EXPECT_EQ(dead->text("attempts"), "2");
  EXPECT_EQ(dead->text("may_have_happened"), "false");

  receiver.set_script([](const Received&, std::size_t) { return answer(200); });
  const Result<ApiAnswer> replayed = api.post("/v1/deliveries/" + delivery + "/replay", "");
  ASSERT_TRUE(replayed) << note_of(replayed);
  EXPECT_EQ(replayed->status(), 202) << replayed->body();
  const std::optional<ApiAnswer> delivered = wait_for_state(api, delivery, "delivered", kPatience);
  ASSERT_TRUE(delivered);
  EXPECT_EQ(delivered->text("round"), "2");
  EXPECT_EQ(delivered->text("attempts"), "3");

  const std::vector<Received> requests = receiver.received();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_EQ(requests[0].body, requests[1].body);
  EXPECT_EQ(without_round(requests[2].body), without_round(requests[0].body));
  EXPECT_TRUE(requests[2].body.contains(R"("round":2)"));
  EXPECT_TRUE(requests[0].body.ends_with(R"("data":{"n": 1,  "m":[]}})"));
  EXPECT_EQ(requests[2].header("webhook-id"), requests[0].header("webhook-id"));
  EXPECT_EQ(requests[0].header("semel-attempt"), "1");
  EXPECT_EQ(requests[2].header("semel-attempt"), "3");
}

TEST_F(DeliveryOverTheWire, an_attempt_in_flight_at_the_kill_is_unknown_and_does_not_count) {
  ScriptedReceiver receiver([](const Received&, std::size_t) { return std::nullopt; });
  make_endpoint(server_, receiver.url(), kQuickPolicy);
  const std::string delivery = send_event();
  ASSERT_TRUE(receiver.wait_for(1));
  receiver.set_script([](const Received&, std::size_t) { return answer(200); });
  server_.kill();
  const Result<void> started = server_.start();
  ASSERT_TRUE(started) << note_of(started);

  harness::ApiClient api = server_.api();
  const std::optional<ApiAnswer> delivered = wait_for_state(api, delivery, "delivered", kPatience);
  ASSERT_TRUE(delivered);
  EXPECT_EQ(outcome_of(*delivered, 1), "unknown lapsed");
  EXPECT_EQ(delivered->text("attempts"), "2");
  EXPECT_EQ(delivered->text("counted"), "1");
  const std::vector<Received> requests = receiver.received();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[1].header("webhook-id"), requests[0].header("webhook-id"));
  EXPECT_EQ(requests[1].body, requests[0].body);
}

TEST_F(DeliveryOverTheWire, an_attempt_in_flight_when_the_server_stops_is_recorded_and_not_repeated) {
  std::promise<void> arrived;
  std::promise<void> release;
  ScriptedReceiver receiver([&, released = release.get_future().share()](const Received&, std::size_t) {
    arrived.set_value();
    released.wait_for(kPatience);
    return answer(200);
  });
  make_endpoint(server_, receiver.url(), kQuickPolicy);
  const std::string delivery = send_event();
  ASSERT_EQ(arrived.get_future().wait_for(kPatience), std::future_status::ready);
  server_.process().send_signal(SIGTERM);
  EXPECT_TRUE(harness::wait_until([&] { return !server_.api().get("/v1/version"); }, kPatience));
  release.set_value();
  const std::optional<harness::Exit> exit = server_.process().wait(kPatience);
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->code, 0);

  const Result<void> started = server_.start();
  ASSERT_TRUE(started) << note_of(started);
  const Result<ApiAnswer> shown = server_.api().get("/v1/deliveries/" + delivery);
  ASSERT_TRUE(shown) << note_of(shown);
  EXPECT_EQ(shown->text("state"), "delivered");
  EXPECT_EQ(shown->text("attempts"), "1");
  EXPECT_EQ(outcome_of(*shown, 1), "delivered status_200");
  EXPECT_EQ(receiver.received().size(), 1u);
}

TEST_F(DeliveryOverTheWire, an_answer_in_another_encoding_is_recorded_like_any_other) {
  const struct {
    std::string bytes;
    std::string state;
    std::string outcome;
  } rows[] = {
      {answer(200, "x-note: caf\xe9\r\n", "\xff\xfe"), "delivered", "delivered status_200"},
      {answer(200, "semel-disposition: \xc3\xa9\xff\r\n"), "delivered",
       "delivered status_200 (disposition does not fit the status)"},
      {answer(422, "semel-disposition: rejected\r\n", "{\"reason\":\"\xff\"}"), "dead", "dead "},
      {answer(422, "semel-disposition: rejected\r\n", R"({"reason":"\u001b[2J"})"), "dead", "dead \x1b[2J"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.bytes);
    ScriptedReceiver receiver([&](const Received&, std::size_t) { return row.bytes; });
    const std::string endpoint = make_endpoint(server_, receiver.url(), kQuickPolicy);
    const std::string delivery = send_event();
    harness::ApiClient api = server_.api();
    const std::optional<ApiAnswer> settled = wait_for_state(api, delivery, row.state, kPatience);
    ASSERT_TRUE(settled);
    EXPECT_EQ(outcome_of(*settled, 1), row.outcome);
    ASSERT_TRUE(api.remove("/v1/endpoints/" + endpoint));
  }
}

TEST_F(DeliveryOverTheWire, retry_after_of_a_503_is_obeyed) {
  ScriptedReceiver receiver(
      [](const Received&, std::size_t nth) { return nth == 1 ? answer(503, "retry-after: 2\r\n") : answer(200); });
  make_endpoint(server_, receiver.url(), kQuickPolicy);
  const std::string delivery = send_event();
  ASSERT_TRUE(receiver.wait_for(2));
  const std::vector<Received> requests = receiver.received();
  const auto waited = std::chrono::duration_cast<milliseconds>(requests[1].at - requests[0].at);
  EXPECT_GE(waited.count(), 1'950);
  harness::ApiClient api = server_.api();
  EXPECT_TRUE(wait_for_state(api, delivery, "delivered", kPatience));
}

TEST_F(DeliveryOverTheWire, retry_after_of_one_endpoint_does_not_delay_another) {
  ScriptedReceiver throttled([](const Received&, std::size_t) { return answer(503, "retry-after: 60\r\n"); });
  ScriptedReceiver willing([](const Received&, std::size_t) { return answer(200); });
  const std::string waiting = make_endpoint(server_, throttled.url(), kQuickPolicy);
  make_endpoint(server_, willing.url(), kQuickPolicy);
  ASSERT_TRUE(server_.api().post("/v1/events", kEvent));
  harness::ApiClient api = server_.api();
  ASSERT_TRUE(harness::wait_for_answer(
      api, "/v1/endpoints/" + waiting, [](const ApiAnswer& shown) { return !shown.text("waits_until").empty(); },
      kPatience));
  for (int n = 0; n < 5; ++n) ASSERT_TRUE(api.post("/v1/events", kEvent));
  EXPECT_TRUE(willing.wait_for(6));
  EXPECT_EQ(throttled.received().size(), 1u);
}

TEST_F(DeliveryOverTheWire, a_redirect_is_never_followed) {
  ScriptedReceiver elsewhere([](const Received&, std::size_t) { return answer(200); });
  for (const int status : {301, 302, 303, 307, 308}) {
    SCOPED_TRACE(status);
    ScriptedReceiver redirecting(
        [&](const Received&, std::size_t) { return answer(status, "location: " + elsewhere.url() + "\r\n"); });
    const std::string endpoint = make_endpoint(server_, redirecting.url(), R"("client_errors":"give_up")");
    const std::string delivery = send_event();
    harness::ApiClient api = server_.api();
    const std::optional<ApiAnswer> dead = wait_for_state(api, delivery, "dead", kPatience);
    ASSERT_TRUE(dead);
    EXPECT_EQ(outcome_of(*dead, 1), "dead status_" + std::to_string(status));
    ASSERT_TRUE(api.remove("/v1/endpoints/" + endpoint));
  }
  EXPECT_EQ(elsewhere.received().size(), 0u);
}

TEST_F(DeliveryOverTheWire, of_a_per_key_endpoint_waits_for_the_lower_sequence_and_other_keys_do_not) {
  ScriptedReceiver receiver([](const Received& request, std::size_t) {
    return answer(request.body.contains("\"ordering_key\":\"stuck\"") ? 500 : 200);
  });
  make_endpoint(
      server_, receiver.url(),
      R"("ordering":"per-key","retry_policy":{"max_attempts":1,"base":"20ms","factor":1,"max_delay":"20ms"})");
  harness::ApiClient api = server_.api();
  std::vector<std::string> stuck;
  for (int n = 0; n < 2; ++n) {
    const Result<ApiAnswer> accepted = api.post("/v1/events", R"({"type":"a.b","ordering_key":"stuck","data":{}})");
    ASSERT_TRUE(accepted) << note_of(accepted);
    stuck.push_back(only_delivery(*accepted));
  }
  const Result<ApiAnswer> free = api.post("/v1/events", R"({"type":"a.b","ordering_key":"free","data":{}})");
  ASSERT_TRUE(free) << note_of(free);
  EXPECT_TRUE(wait_for_state(api, only_delivery(*free), "delivered", kPatience));
  EXPECT_TRUE(wait_for_state(api, stuck[0], "dead", kPatience));
  const std::optional<ApiAnswer> blocked = wait_for_state(api, stuck[1], "blocked", kPatience);
  ASSERT_TRUE(blocked);
  EXPECT_EQ(blocked->text("attempts"), "0");
  EXPECT_EQ(blocked->text("blocked_by") + "." + blocked->text("endpoint_id"), stuck[0]);

  receiver.set_script([](const Received&, std::size_t) { return answer(200); });
  ASSERT_TRUE(api.post("/v1/deliveries/" + stuck[0] + "/replay", ""));
  EXPECT_TRUE(wait_for_state(api, stuck[0], "delivered", kPatience));
  EXPECT_TRUE(wait_for_state(api, stuck[1], "delivered", kPatience));
}

}  // namespace
}  // namespace semel::tests
