// endpoints_test.cc: endpoints by API.
#include "api/test_rig.h"

namespace semel::api {
namespace {

using EndpointsTest = ApiTest;

TEST_F(EndpointsTest, a_new_one_shows_its_secret_once) {
  const HttpResponse made = post("/v1/endpoints", R"({"url":"http://127.0.0.1:9/in","ordering":"per-key"})");
  EXPECT_EQ(made.status, 201);
  const std::string id = member(made, "id");
  EXPECT_EQ(id.substr(0, 3), "ep_");
  EXPECT_EQ(header(made, "location"), "/v1/endpoints/" + id);
  EXPECT_EQ(member(made, "secret").substr(0, 6), "whsec_");
  EXPECT_EQ(member(made, "public_key"), "");
  const HttpResponse shown = get("/v1/endpoints/" + id);
  EXPECT_EQ(shown.status, 200);
  EXPECT_EQ(shown.body.find("whsec_"), std::string::npos);
  const std::pair<std::string_view, std::string_view> members[] = {
      {"url", "http://127.0.0.1:9/in"}, {"ordering", "per-key"},    {"on_dead", "block"},
      {"on_unknown", "resend"},         {"client_errors", "retry"}, {"retry_policy", "standard"},
      {"timeout_ms", "15000"},          {"max_in_flight", "16"},    {"created_at", "2026-11-30T08:00:00.000Z"},
  };
  for (const auto& [name, value] : members) EXPECT_EQ(member(shown, name), value) << name;
  EXPECT_EQ(get("/v1/endpoints").body.find("whsec_"), std::string::npos);
}

TEST_F(EndpointsTest, a_supplied_secret_and_an_asymmetric_one_are_taken) {
  const std::string own = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  EXPECT_EQ(member(post("/v1/endpoints", R"({"url":"http://127.0.0.1:9/","secret":")" + own + "\"}"), "secret"), own);
  const HttpResponse asymmetric = post("/v1/endpoints", R"({"url":"http://127.0.0.1:9/","signature":"v1a"})");
  EXPECT_EQ(member(asymmetric, "secret").substr(0, 5), "whsk_");
  EXPECT_EQ(member(asymmetric, "public_key").substr(0, 5), "whpk_");
}

TEST_F(EndpointsTest, a_deleted_one_gets_nothing_more_and_can_still_be_looked_at) {
  const std::string id = make_endpoint("/never", R"("event_types":["*"])");
  EXPECT_EQ(send("DELETE", "/v1/endpoints/" + id).status, 204);
  EXPECT_EQ(send("DELETE", "/v1/endpoints/" + id).status, 204);
  EXPECT_EQ(member(post("/v1/events", R"({"type":"a","data":1})"), "routing"), "no_match");
  EXPECT_EQ(member(get("/v1/endpoints/" + id), "deleted_at"), "2026-11-30T08:00:00.000Z");
  EXPECT_EQ(get("/v1/endpoints").body, R"({"endpoints":[]})");
}

TEST_F(EndpointsTest, what_cannot_be_taken_is_refused_by_name) {
  const struct {
    std::string_view body;
    int status;
    std::string_view code;
  } rows[] = {
      {R"({"url":"http://127.0.0.1:9/","colour":1})", 400, "MEMBER_UNKNOWN"},
      {R"({})", 400, "MEMBER_MISSING"},
      {R"({"url":"http://127.0.0.1:9/","timeout_ms":5})", 400, "MEMBER_INVALID"},
      {R"({"url":"http://127.0.0.1:9/","on_dead":"skip"})", 400, "NOT_SUPPORTED_YET"},
      {R"({"url":"http://127.0.0.1:9/","on_unknown":"hold"})", 400, "NOT_SUPPORTED_YET"},
      {R"({"url":"http://127.0.0.1:9/","secret":"whsec_short"})", 400, "MEMBER_INVALID"},
      {R"({"url":"http://127.0.0.1:9/\t"})", 400, "URL_INVALID"},
      {R"({"url":"https://192.168.0.1/"})", 400, "DESTINATION_DENIED"},
      {R"([])", 400, "BODY_INVALID"},
      {R"({"url":)", 400, "BODY_INVALID"},
  };
  for (const auto& row : rows) {
    const HttpResponse response = post("/v1/endpoints", std::string(row.body));
    EXPECT_EQ(response.status, row.status) << row.body;
    EXPECT_EQ(code(response), row.code) << row.body;
  }
  EXPECT_EQ(get("/v1/endpoints").body, R"({"endpoints":[]})");
}

TEST_F(EndpointsTest, an_unknown_one_is_not_found) {
  EXPECT_EQ(code(get("/v1/endpoints/ep_nobody")), "NOT_FOUND");
  EXPECT_EQ(code(send("DELETE", "/v1/endpoints/ep_nobody")), "NOT_FOUND");
}

TEST_F(EndpointsTest, a_commit_that_failed_or_is_in_doubt_is_not_answered_as_done) {
  const std::string body = R"({"url":"http://127.0.0.1:9/"})";
  store_->next_answer = store::Refused{{Fault::busy, "full"}};
  EXPECT_EQ(code(post("/v1/endpoints", body)), "STORE_UNAVAILABLE");
  store_->next_answer = store::Unknown{.error = {Fault::unknown_outcome, "?"}, .fatal = false};
  EXPECT_EQ(code(post("/v1/endpoints", body)), "OUTCOME_UNKNOWN");
  store_->next_answer = store::Conflict{};
  EXPECT_EQ(code(post("/v1/endpoints", body)), "CONFLICT");
}

}  // namespace
}  // namespace semel::api
