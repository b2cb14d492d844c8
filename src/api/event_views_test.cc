// event_views_test.cc: reading events back.
#include "api/test_rig.h"

namespace semel::api {
namespace {

class EventViewsTest : public ApiTest {
 protected:
  void accept(const std::string& id, const std::string& more = "") {
    EXPECT_EQ(
        post("/v1/events", R"({"id":")" + id + R"(","type":"order.made","data":{"b":1, "a":2})" + more + "}").status,
        202);
  }
};

TEST_F(EventViewsTest, shows_the_envelope_as_its_receivers_get_it) {
  accept("e-1", R"(,"correlation_id":"c-1","ordering_key":"k")");
  const HttpResponse response = get("/v1/events/e-1");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(
      response.body,
      R"({"id":"e-1","type":"order.made","accepted_at":"2026-11-30T08:00:00.000Z","ordering_key":"k","sequence":1,)"
      R"("correlation_id":"c-1","routing":"no_match","deliveries":[],"envelope":{"id":"e-1","type":"order.made",)"
      R"("timestamp":"2026-11-30T08:00:00.000Z","accepted_at":"2026-11-30T08:00:00.000Z","tenant":"default",)"
      R"("correlation_id":"c-1","ordering_key":"k","sequence":1,"data":{"b":1, "a":2}}})");
}

TEST_F(EventViewsTest, lists_pages_in_the_order_of_acceptance) {
  for (const char* id : {"c", "a", "b"}) accept(id);
  const HttpResponse first = get("/v1/events?limit=2");
  EXPECT_EQ(member(first, "next_cursor"), "a");
  const HttpResponse second = get("/v1/events?limit=2&cursor=a");
  EXPECT_NE(second.body.find(R"([{"id":"b",)"), std::string::npos) << second.body;
  EXPECT_EQ(member(second, "next_cursor"), "");
}

TEST_F(EventViewsTest, lists_by_type_correlation_and_time) {
  accept("a", R"(,"correlation_id":"c-1")");
  accept("b");
  const struct {
    std::string_view query;
    bool a, b;
  } rows[] = {
      {"correlation_id=c-1", true, false},
      {"type=order.made", true, true},
      {"type=other", false, false},
      {"since=2026-11-30T08:00:00Z", true, true},
      {"since=2026-11-30T08:00:00.001Z", false, false},
  };
  for (const auto& row : rows) {
    const std::string body = get("/v1/events?" + std::string(row.query)).body;
    EXPECT_EQ(body.find(R"("id":"a")") != std::string::npos, row.a) << row.query;
    EXPECT_EQ(body.find(R"("id":"b")") != std::string::npos, row.b) << row.query;
  }
}

TEST_F(EventViewsTest, refuses_cursors_and_times_it_cannot_read) {
  EXPECT_EQ(code(get("/v1/events?cursor=nobody")), "CURSOR_INVALID");
  EXPECT_EQ(code(get("/v1/events?since=yesterday")), "QUERY_INVALID");
  EXPECT_EQ(code(get("/v1/events?limit=0")), "QUERY_INVALID");
}

TEST_F(EventViewsTest, an_unknown_event_is_not_found) {
  EXPECT_EQ(code(get("/v1/events/nobody")), "NOT_FOUND");
  EXPECT_EQ(code(get("/v1/events/nobody/attempts")), "NOT_FOUND");
}

TEST_F(EventViewsTest, shows_every_attempt_of_every_delivery) {
  exchange_.answers["/good"] = {.status = 200, .disposition = {}, .retry_after = {}, .body_excerpt = {}};
  const std::string endpoint = make_endpoint("/good", R"("event_types":["*"])");
  accept("e-1");
  const HttpResponse response = get("/v1/events/e-1/attempts");
  EXPECT_NE(response.body.find(R"({"attempts":[{"delivery_id":"e-1.)" + endpoint + R"(","endpoint_id":")" + endpoint +
                               R"(","number":1,"round":1,"started_at":"2026-11-30T08:00:00.000Z","counts":true,)"
                               R"("outcomes":[{"late":false,"at":"2026-11-30T08:00:00.000Z","result":"delivered",)"
                               R"("http_status":200)"),
            std::string::npos)
      << response.body;
}

}  // namespace
}  // namespace semel::api
