// subscriptions_test.cc: subscriptions by API.
#include "api/test_rig.h"

namespace semel::api {
namespace {

class SubscriptionsTest : public ApiTest {
 protected:
  HttpResponse subscribe(const std::string& endpoint, const std::string& patterns) {
    return post("/v1/subscriptions", R"({"endpoint_id":")" + endpoint + R"(","event_types":)" + patterns + "}");
  }
  std::string routing(const std::string& type) {
    return member(post("/v1/events", R"({"type":")" + type + R"(","data":1})"), "routing");
  }
};

TEST_F(SubscriptionsTest, events_go_where_one_says_until_it_is_deleted) {
  const std::string endpoint = make_endpoint("/never", R"("ordering":"none")");
  EXPECT_EQ(routing("order.made"), "no_match");
  const HttpResponse made = subscribe(endpoint, R"(["order.*"])");
  EXPECT_EQ(made.status, 201);
  const std::string id = member(made, "id");
  EXPECT_EQ(header(made, "location"), "/v1/subscriptions/" + id);
  EXPECT_EQ(made.body, R"({"id":")" + id + R"(","endpoint_id":")" + endpoint +
                           R"(","event_types":["order.*"],"created_at":"2026-11-30T08:00:00.000Z"})");
  EXPECT_EQ(get("/v1/subscriptions").body, R"({"subscriptions":[)" + made.body + "]}");
  EXPECT_EQ(get("/v1/subscriptions/" + id).body, made.body);
  EXPECT_EQ(routing("order.made"), "matched");
  EXPECT_EQ(routing("bill.made"), "no_match");
  EXPECT_EQ(send("DELETE", "/v1/subscriptions/" + id).status, 204);
  EXPECT_EQ(routing("order.made"), "no_match");
  EXPECT_EQ(code(get("/v1/subscriptions/" + id)), "NOT_FOUND");
  EXPECT_EQ(code(send("DELETE", "/v1/subscriptions/" + id)), "NOT_FOUND");
}

TEST_F(SubscriptionsTest, what_cannot_be_taken_is_refused_by_name) {
  const std::string endpoint = make_endpoint("/never", R"("ordering":"none")");
  std::string over_100 = "[\"a\"";
  for (int i = 0; i < 100; ++i) over_100 += ",\"a\"";
  for (const std::string& patterns :
       {std::string("[]"), std::string("\"a\""), std::string("[1]"), std::string("[\"*.a\"]"), over_100 + "]"})
    EXPECT_EQ(code(subscribe(endpoint, patterns)), "MEMBER_INVALID") << patterns;
  EXPECT_EQ(code(subscribe("ep_nobody", R"(["*"])")), "NOT_FOUND");
  EXPECT_EQ(code(post("/v1/subscriptions", R"({"event_types":["*"]})")), "MEMBER_MISSING");
  EXPECT_EQ(code(post("/v1/subscriptions", R"({"endpoint_id":"e"})")), "MEMBER_MISSING");
  EXPECT_EQ(code(post("/v1/subscriptions", R"({"endpoint_id":7,"event_types":["*"]})")), "MEMBER_INVALID");
  EXPECT_EQ(code(post("/v1/subscriptions", R"({"endpoint":"e"})")), "MEMBER_UNKNOWN");
  EXPECT_EQ(code(post("/v1/subscriptions", "7")), "BODY_INVALID");
  EXPECT_EQ(code(send("POST", "/v1/subscriptions")), "MEDIA_TYPE_UNSUPPORTED");
}

}  // namespace
}  // namespace semel::api
