// deliveries_test.cc: looking at deliveries, and replaying them.
#include "api/test_rig.h"

namespace semel::api {
namespace {

class DeliveriesTest : public ApiTest {
 protected:
  DeliveriesTest() {
    exchange_.answers["/good"] = {.status = 200, .disposition = {}, .retry_after = {}, .body_excerpt = {}};
    exchange_.answers["/reject"] = {.status = 422, .disposition = "rejected", .retry_after = {}, .body_excerpt = {}};
    exchange_.answers["/broken"] = {.status = 500, .disposition = {}, .retry_after = {}, .body_excerpt = {}};
  }
  void accept(const std::string& id, const std::string& more = "") {
    EXPECT_EQ(post("/v1/events", R"({"id":")" + id + R"(","type":"t","data":1)" + more + "}").status, 202);
  }
  HttpResponse replay(const std::string& id, const std::string& body = "") {
    return post("/v1/deliveries/" + id + "/replay", body);
  }
};

TEST_F(DeliveriesTest, shows_a_delivered_one_with_its_attempts) {
  const std::string endpoint = make_endpoint("/good", R"("event_types":["*"])");
  accept("e-1", R"(,"ordering_key":"k")");
  const HttpResponse response = get("/v1/deliveries/e-1." + endpoint);
  EXPECT_EQ(response.status, 200);
  const std::pair<std::string_view, std::string> members[] = {
      {"id", "e-1." + endpoint},
      {"event_id", "e-1"},
      {"endpoint_id", endpoint},
      {"event_type", "t"},
      {"state", "delivered"},
      {"round", "1"},
      {"attempts", "1"},
      {"counted", "1"},
      {"ordering_key", "k"},
      {"sequence", "1"},
      {"after", "0"},
      {"may_have_happened", "false"},
      {"reason", ""},
      {"next_attempt_at", ""},
      {"delivered_at", "2026-11-30T08:00:00.000Z"},
  };
  for (const auto& [name, value] : members) EXPECT_EQ(member(response, name), value) << name;
  EXPECT_NE(member(response, "attempt_list").find(R"("number":1)"), std::string::npos);
}

TEST_F(DeliveriesTest, lists_by_state_and_endpoint) {
  const std::string good = make_endpoint("/good", R"("event_types":["*"])");
  const std::string rejecting = make_endpoint("/reject", R"("event_types":["*"])");
  const std::string broken = make_endpoint("/broken", R"("event_types":["*"],"ordering":"per-key")");
  accept("e-1", R"(,"ordering_key":"k")");
  accept("e-2", R"(,"ordering_key":"k")");
  const struct {
    std::string query;
    std::vector<std::string> ids;
  } rows[] = {
      {"state=delivered", {"e-1." + good, "e-2." + good}},
      {"state=dead", {"e-1." + rejecting, "e-2." + rejecting}},
      {"state=blocked", {"e-2." + broken}},
      {"state=due&endpoint_id=" + broken, {"e-1." + broken, "e-2." + broken}},
      {"state=parked", {}},
      {"endpoint_id=" + good, {"e-1." + good, "e-2." + good}},
      {"endpoint_id=ep_nobody", {}},
      {"state=delivered&limit=1", {"e-1." + good}},
      {"state=delivered&limit=1&cursor=e-1." + good, {"e-2." + good}},
  };
  for (const auto& row : rows) {
    const HttpResponse response = get("/v1/deliveries?" + row.query);
    const Result<JsonDocument> document = parse_json(response.body);
    ASSERT_TRUE(document && document->root().find("deliveries")) << row.query << response.body;
    const JsonValue found = *document->root().find("deliveries");
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < found.size(); ++i) ids.emplace_back(found.at(i).find("id")->text());
    EXPECT_EQ(ids, row.ids) << row.query;
  }
  EXPECT_EQ(get("/v1/dead-letters").body, get("/v1/deliveries?state=dead").body);
}

TEST_F(DeliveriesTest, a_blocked_one_names_what_it_waits_for) {
  const std::string endpoint = make_endpoint("/broken", R"("event_types":["*"],"ordering":"per-key")");
  accept("e-1", R"(,"ordering_key":"k")");
  accept("e-2", R"(,"ordering_key":"k")");
  const HttpResponse waiting = get("/v1/deliveries/e-2." + endpoint);
  EXPECT_EQ(member(waiting, "state"), "blocked");
  EXPECT_EQ(member(waiting, "blocked_by"), "e-1");
  EXPECT_EQ(member(waiting, "after"), "1");
  const HttpResponse first = get("/v1/deliveries/e-1." + endpoint);
  EXPECT_EQ(member(first, "state"), "due");
  EXPECT_EQ(member(first, "next_attempt_at").substr(0, 18), "2026-11-30T08:00:0");
}

TEST_F(DeliveriesTest, refuses_queries_it_cannot_read) {
  EXPECT_EQ(code(get("/v1/deliveries?state=lost")), "QUERY_INVALID");
  EXPECT_EQ(code(get("/v1/deliveries?cursor=nobody")), "CURSOR_INVALID");
  EXPECT_EQ(code(get("/v1/deliveries?cursor=a.b")), "CURSOR_INVALID");
  EXPECT_EQ(code(get("/v1/dead-letters?state=due")), "QUERY_UNKNOWN");
}

TEST_F(DeliveriesTest, an_unknown_one_is_not_found) {
  for (const char* id : {"nobody", "a.b", "a.b.c"}) {
    EXPECT_EQ(code(get(std::string("/v1/deliveries/") + id)), "NOT_FOUND") << id;
    EXPECT_EQ(code(replay(id)), "NOT_FOUND") << id;
  }
}

TEST_F(DeliveriesTest, a_dead_one_is_replayed_in_its_next_round) {
  const std::string endpoint = make_endpoint("/reject", R"("event_types":["*"])");
  accept("e-1");
  const std::string id = "e-1." + endpoint;
  EXPECT_EQ(member(get("/v1/deliveries/" + id), "reason"), "rejected_by_receiver");
  exchange_.answers["/reject"] = {.status = 200, .disposition = {}, .retry_after = {}, .body_excerpt = {}};
  const HttpResponse response = replay(id);
  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(response.body, R"({"id":")" + id + R"(","already_open":false})");
  const HttpResponse after = get("/v1/deliveries/" + id);
  EXPECT_EQ(member(after, "state"), "delivered");
  EXPECT_EQ(member(after, "round"), "2");
  EXPECT_EQ(member(after, "attempts"), "2");
}

TEST_F(DeliveriesTest, replaying_an_open_one_says_that_it_was_open) {
  const std::string endpoint = make_endpoint("/broken", R"("event_types":["*"])");
  accept("e-1");
  EXPECT_EQ(member(replay("e-1." + endpoint, "{}"), "already_open"), "true");
}

TEST_F(DeliveriesTest, a_replay_that_cannot_be_is_refused_by_name) {
  const std::string endpoint = make_endpoint("/good", R"("event_types":["*"],"ordering":"per-key")");
  accept("e-1", R"(,"ordering_key":"k")");
  accept("e-2", R"(,"ordering_key":"k")");
  const HttpResponse order = replay("e-1." + endpoint);
  EXPECT_EQ(order.status, 409);
  EXPECT_EQ(code(order), "WOULD_BREAK_ORDER");
  EXPECT_EQ(code(replay("e-2." + endpoint, R"({"out_of_order":true})")), "NOT_SUPPORTED_YET");
  EXPECT_EQ(code(replay("e-2." + endpoint, R"({"again":true})")), "MEMBER_UNKNOWN");
  EXPECT_EQ(code(replay("e-2." + endpoint, "[]")), "BODY_INVALID");
  EXPECT_EQ(send("DELETE", "/v1/endpoints/" + endpoint).status, 204);
  const HttpResponse gone = replay("e-2." + endpoint);
  EXPECT_EQ(gone.status, 409);
  EXPECT_EQ(code(gone), "ENDPOINT_GONE");
}

}  // namespace
}  // namespace semel::api
