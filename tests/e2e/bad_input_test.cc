// bad_input_test.cc: every kind of bad input over the wire gets its answer and leaves nothing behind.
#include <fmt/format.h>

#include "support/rig.h"

namespace semel::tests {
namespace {

using harness::ApiAnswer;

struct Bad {
  const char* what;
  const char* target;
  std::string body;
  int status;
  const char* code;
  const char* detail = "";  // must occur in the answer
  harness::HttpHeaders headers = {{"content-type", "application/json"}};
};

std::string event_with(std::string_view members) { return fmt::format(R"({{"type":"a.b","data":{{}},{}}})", members); }
std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') + std::string(static_cast<std::size_t>(depth), ']');
}

std::vector<Bad> bad_inputs() {
  const char* events = "/v1/events";
  const char* endpoints = "/v1/endpoints";
  using namespace std::string_literals;
  return {
      {"malformed JSON", events, R"({"type":"a.b","data":{]})", 400, "BODY_INVALID"},
      {"truncated JSON", events, R"({"type":"a.b","data":{"n":1)", 400, "BODY_INVALID"},
      {"no body", events, "", 400, "BODY_INVALID"},
      {"bytes behind the value", events, R"({"type":"a.b","data":{}} x)", 400, "BODY_INVALID"},
      {"duplicate members", events, R"({"type":"a.b","type":"a.b","data":{}})", 400, "BODY_INVALID"},
      {"duplicate members inside data", events, R"({"type":"a.b","data":{"n":1,"n":2}})", 400, "BODY_INVALID"},
      {"invalid UTF-8", events, "{\"type\":\"a.b\",\"data\":\"\xff\"}", 400, "BODY_INVALID"},
      {"a lone surrogate", events, R"({"type":"a.b","data":"\ud800"})", 400, "BODY_INVALID"},
      {"a raw NUL", events, "{\"type\":\"a.b\",\"data\":\"\0\"}"s, 400, "BODY_INVALID"},
      {"an escaped NUL outside data", events, event_with(R"("ordering_key":"a\u0000b")"), 400, "MEMBER_INVALID"},
      {"depth over 64", events, fmt::format(R"({{"type":"a.b","data":{}}})", nested(65)), 400, "BODY_INVALID"},
      {"a body over the limit", events, fmt::format(R"({{"type":"a.b","data":"{}"}})", std::string(300 * 1024, 'x')),
       413, "BODY_TOO_LARGE"},
      {"another content type",
       events,
       event_with(R"("source":"x")"),
       415,
       "MEDIA_TYPE_UNSUPPORTED",
       "",
       {{"content-type", "text/plain"}}},
      {"an unknown member", events, event_with(R"("ordering_kye":"k")"), 400, "MEMBER_UNKNOWN", "ordering_key"},
      {"no type", events, R"({"data":{}})", 400, "MEMBER_MISSING"},
      {"a type with an empty segment", events, R"({"type":"a..b","data":{}})", 400, "MEMBER_INVALID"},
      {"an id with a dot", events, event_with(R"("id":"a.b")"), 400, "MEMBER_INVALID"},
      {"an id over length", events, event_with(fmt::format(R"("id":"{}")", std::string(65, 'i'))), 400,
       "MEMBER_INVALID"},
      {"a sequence gap", events, event_with(R"("ordering_key":"k","sequence":5)"), 409, "SEQUENCE_GAP",
       R"("expected":1)"},
      {"deliver_after, which comes later", events, event_with(R"("deliver_after":"2030-01-01T00:00:00Z")"), 400,
       "NOT_SUPPORTED_YET"},
      {"an unknown field of an endpoint", endpoints, R"({"url":"http://127.0.0.1:9/","max_in_fligth":4})", 400,
       "MEMBER_UNKNOWN", "max_in_flight"},
      {"on_dead: skip, which comes later", endpoints, R"({"url":"http://127.0.0.1:9/","on_dead":"skip"})", 400,
       "NOT_SUPPORTED_YET"},
      {"on_unknown: ask, which comes later", endpoints, R"({"url":"http://127.0.0.1:9/","on_unknown":"ask"})", 400,
       "NOT_SUPPORTED_YET"},
      {"a URL that is none", endpoints, R"({"url":"http://"})", 400, "URL_INVALID"},
      {"a URL of another scheme", endpoints, R"({"url":"ftp://127.0.0.1/"})", 400, "DESTINATION_DENIED"},
      {"a destination that is not open", endpoints, R"({"url":"http://10.0.0.1/"})", 400, "DESTINATION_DENIED"},
      {"a subscription to an unknown endpoint", "/v1/subscriptions", R"({"endpoint_id":"ep_none","event_types":["*"]})",
       404, "NOT_FOUND"},
      {"an idempotency key where none is honoured",
       endpoints,
       R"({"url":"http://127.0.0.1:9/"})",
       400,
       "IDEMPOTENCY_KEY_UNSUPPORTED",
       "",
       {{"content-type", "application/json"}, {"idempotency-key", "\"k\""}}},
      {"an unknown route", "/v1/nothing", "{}", 404, "NOT_FOUND"},
  };
}

class BadInput : public Rig {};

TEST_F(BadInput, is_answered_with_a_problem_that_has_a_code_and_stores_nothing) {
  harness::SemelServer server = make_server();
  ASSERT_TRUE(server.start());
  for (const Bad& bad : bad_inputs()) {
    SCOPED_TRACE(bad.what);
    const Result<ApiAnswer> answer =
        server.api().send({.method = "POST", .target = bad.target, .headers = bad.headers, .body = bad.body});
    ASSERT_TRUE(answer) << note_of(answer);
    EXPECT_EQ(answer->status(), bad.status) << answer->body();
    EXPECT_EQ(answer->code(), bad.code) << answer->body();
    EXPECT_EQ(answer->http().header("content-type"), "application/problem+json");
    EXPECT_TRUE(answer->body().contains(bad.detail)) << answer->body();
  }
  for (const std::string list : {"events", "endpoints", "subscriptions", "deliveries"}) {
    const Result<ApiAnswer> stored = server.api().get("/v1/" + list);
    ASSERT_TRUE(stored) << note_of(stored);
    EXPECT_EQ(stored->root().find(list)->size(), 0u) << list;
  }
  const Result<ApiAnswer> good = server.api().post("/v1/events", event_with(R"("ordering_key":"k")"));
  ASSERT_TRUE(good) << note_of(good);
  EXPECT_EQ(good->status(), 202);
  EXPECT_EQ(good->text("sequence"), "1");
}

TEST_F(BadInput, without_a_valid_key_is_refused_before_it_is_read) {
  harness::SemelServer server = make_server();
  ASSERT_TRUE(server.start());
  for (const std::string& key :
       {std::string("nonsense"), std::string("key_00000000000000000000000000000000.") + std::string(43, 'A')}) {
    harness::ApiClient stranger(server.port(), key);
    const Result<ApiAnswer> answer = stranger.post("/v1/events", "{");
    ASSERT_TRUE(answer) << note_of(answer);
    EXPECT_EQ(answer->status(), 401);
    EXPECT_EQ(answer->code(), "NOT_AUTHENTICATED");
  }
}

TEST_F(BadInput, data_of_depth_64_and_an_escaped_NUL_in_data_are_taken) {
  harness::SemelServer server = make_server();
  ASSERT_TRUE(server.start());
  for (const std::string& data : {nested(64), std::string(R"("a\u0000b")")}) {
    const Result<ApiAnswer> answer =
        server.api().post("/v1/events", fmt::format(R"({{"type":"a.b","data":{}}})", data));
    ASSERT_TRUE(answer) << note_of(answer);
    EXPECT_EQ(answer->status(), 202) << answer->body();
  }
}

}  // namespace
}  // namespace semel::tests
