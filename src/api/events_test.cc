// events_test.cc: POST /v1/events.
#include "api/test_rig.h"

namespace semel::api {
namespace {

using EventsTest = ApiTest;

TEST_F(EventsTest, an_accepted_event_is_answered_with_its_id_and_deliveries) {
  const std::string endpoint = make_endpoint("/in", R"("event_types":["order.*"])");
  const HttpResponse response =
      post("/v1/events", R"({"id":"e-1","type":"order.created","data":{"n":1},"ordering_key":"k"})");
  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(response.body, R"({"id":"e-1","sequence":1,"accepted_at":"2026-11-30T08:00:00.000Z","duplicate":false,)"
                           R"("deliveries":[{"id":"e-1.)" +
                               endpoint + R"(","endpoint_id":")" + endpoint + R"("}],"routing":"matched"})");
  EXPECT_EQ(header(response, "idempotent-replayed"), "");
  EXPECT_EQ(header(response, "idempotency-expires"), "");
}

TEST_F(EventsTest, an_event_that_nobody_wants_is_kept_and_says_so) {
  const HttpResponse response = post("/v1/events", R"({"type":"a","data":null})");
  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(member(response, "id").substr(0, 4), "evt_");
  EXPECT_EQ(member(response, "routing"), "no_match");
  EXPECT_EQ(member(response, "deliveries"), "[]");
  EXPECT_EQ(member(response, "sequence"), "");
}

TEST_F(EventsTest, the_same_key_and_content_gets_the_original_answer) {
  const Headers key = {{"idempotency-key", "\"order-7\""}};
  const HttpResponse first = post("/v1/events", R"({"type":"a","data":{"x":1.0}})", key);
  const HttpResponse again =
      post("/v1/events", R"({ "data" : {"x":1e0}, "type" : "a" })", {{"idempotency-key", "order-7"}});
  EXPECT_EQ(again.status, 202);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(header(first, "idempotent-replayed"), "");
  EXPECT_EQ(header(again, "idempotent-replayed"), "true");
  EXPECT_EQ(header(first, "idempotency-expires"), "Sun, 28 Feb 2027 08:00:00 GMT");
  EXPECT_EQ(header(again, "idempotency-expires"), "Sun, 28 Feb 2027 08:00:00 GMT");
}

TEST_F(EventsTest, a_new_key_with_a_known_id_is_a_duplicate_and_bound_to_that_event) {
  const std::string event = R"({"id":"e-1","type":"a","data":1})";
  post("/v1/events", event);
  for (int time = 0; time < 2; ++time) {
    const HttpResponse response = post("/v1/events", event, {{"idempotency-key", "k2"}});
    EXPECT_EQ(response.status, 202);
    EXPECT_EQ(member(response, "duplicate"), "true");
    EXPECT_EQ(header(response, "idempotent-replayed"), "true");
  }
  EXPECT_EQ(code(post("/v1/events", R"({"type":"a","data":2})", {{"idempotency-key", "k2"}})),
            "IDEMPOTENCY_KEY_REUSED_WITH_DIFFERENT_REQUEST");
}

TEST_F(EventsTest, keys_of_different_clients_are_different_keys) {
  const Headers key = {{"idempotency-key", "k"}};
  act_as(make_key(R"("role":"producer","client":"shop")"));
  EXPECT_EQ(post("/v1/events", R"({"type":"a","data":1})", key).status, 202);
  act_as_operator();
  act_as(make_key(R"("role":"producer","client":"bank")"));
  const HttpResponse other = post("/v1/events", R"({"type":"a","data":2})", key);
  EXPECT_EQ(other.status, 202);
  EXPECT_EQ(header(other, "idempotent-replayed"), "");
}

TEST_F(EventsTest, data_that_looks_like_nothing_is_replayed_like_any_other) {
  int number = 0;
  for (const std::string data : {"null", "0", "false", R"("")", "[]", "{}"}) {
    SCOPED_TRACE(data);
    const Headers key = {{"idempotency-key", "k" + std::to_string(++number)}};
    const std::string event = R"({"type":"a","data":)" + data + "}";
    const HttpResponse first = post("/v1/events", event, key);
    const HttpResponse again = post("/v1/events", event, key);
    EXPECT_EQ(first.status, 202);
    EXPECT_EQ(again.status, 202);
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(header(again, "idempotent-replayed"), "true");
  }
}

TEST_F(EventsTest, a_replay_belongs_to_the_client_whatever_its_api_key_and_is_not_shown_past_its_rights) {
  const Headers key = {{"idempotency-key", "k"}};
  const std::string event = R"({"type":"bill.made","data":1})";
  const std::string newer = make_key(R"("role":"producer","client":"shop")");
  const std::string narrower = make_key(R"("role":"producer","client":"shop","event_types":["order.*"])");
  const std::string reader = make_key(R"("role":"reader","client":"shop")");
  act_as(make_key(R"("role":"producer","client":"shop")"));
  const HttpResponse first = post("/v1/events", event, key);
  ASSERT_EQ(first.status, 202);
  act_as(newer);
  EXPECT_EQ(post("/v1/events", event, key).body, first.body);
  for (const std::string& less : {narrower, reader}) {
    act_as(less);
    const HttpResponse refused = post("/v1/events", event, key);
    EXPECT_EQ(refused.status, 403);
    EXPECT_EQ(refused.body.find(member(first, "id")), std::string::npos) << refused.body;
  }
}

struct Refused {
  std::string what;
  std::string body;
  int status;
  std::string code;
  std::string detail;  // stands somewhere in the answer
  std::vector<std::pair<std::string, std::string>> headers = {};
};

std::vector<Refused> refused_events() {
  const std::string too_deep = R"({"type":"a","data":)" + std::string(65, '[') + std::string(65, ']') + "}";
  return {
      {"key reused",
       R"({"type":"a","data":2})",
       422,
       "IDEMPOTENCY_KEY_REUSED_WITH_DIFFERENT_REQUEST",
       R"("retryable":false)",
       {{"idempotency-key", "known-key"}}},
      {"key reused with an id of its own",
       R"({"id":"other","type":"a","data":1})",
       422,
       "IDEMPOTENCY_KEY_REUSED_WITH_DIFFERENT_REQUEST",
       "make a new key",
       {{"idempotency-key", "known-key"}}},
      {"id reused", R"({"id":"known-id","type":"a","data":2})", 422, "EVENT_ID_REUSED_WITH_DIFFERENT_CONTENT",
       R"("type":"https://semel.dev/problems/event-id-reused-with-different-content")"},
      {"gap", R"({"type":"a","data":1,"ordering_key":"theirs","sequence":5})", 409, "SEQUENCE_GAP", R"("expected":2)"},
      {"sequence missing", R"({"type":"a","data":1,"ordering_key":"theirs"})", 409, "SEQUENCE_MISSING", ""},
      {"sequence not taken", R"({"type":"a","data":1,"ordering_key":"ours","sequence":2})", 409, "SEQUENCE_NOT_TAKEN",
       ""},
      {"no JSON", R"({"type":)", 400, "BODY_INVALID", ""},
      {"no object", "[]", 400, "BODY_INVALID", ""},
      {"duplicate member", R"({"type":"a","type":"a","data":1})", 400, "BODY_INVALID", ""},
      {"lone surrogate", R"({"type":"a","data":"\ud800"})", 400, "BODY_INVALID", ""},
      {"bad UTF-8", "{\"type\":\"a\",\"data\":\"\xff\"}", 400, "BODY_INVALID", ""},
      {"too deep", too_deep, 400, "BODY_INVALID", ""},
      {"unknown member", R"({"type":"a","data":1,"typ":2})", 400, "MEMBER_UNKNOWN", R"("member":)"},
      {"no type", R"({"data":1})", 400, "MEMBER_MISSING", R"("member":)"},
      {"bad type", R"({"type":"a..b","data":1})", 400, "MEMBER_INVALID", R"("member":)"},
      {"deliver_after", R"({"type":"a","data":1,"deliver_after":"2026-12-01T00:00:00Z"})", 400, "NOT_SUPPORTED_YET",
       "deliver_after"},
      {"expires_at", R"({"type":"a","data":1,"expires_at":"2026-12-01T00:00:00Z"})", 400, "NOT_SUPPORTED_YET",
       "expires_at"},
      {"too large", R"({"type":"a","data":")" + std::string(256 * 1024, 'x') + "\"}", 413, "BODY_TOO_LARGE", "262144"},
      {"text", R"({"type":"a","data":1})", 415, "MEDIA_TYPE_UNSUPPORTED", "", {{"content-type", "text/plain"}}},
      {"two media types",
       R"({"type":"a","data":1})",
       415,
       "MEDIA_TYPE_UNSUPPORTED",
       "",
       {{"content-type", "application/json"}, {"content-type", "application/json"}}},
  };
}

TEST_F(EventsTest, what_cannot_be_taken_is_refused_by_name_and_stores_nothing) {
  post("/v1/events", R"({"type":"a","data":1})", {{"idempotency-key", "known-key"}});
  post("/v1/events", R"({"id":"known-id","type":"a","data":1})");
  post("/v1/events", R"({"type":"a","data":1,"ordering_key":"theirs","sequence":1})");
  post("/v1/events", R"({"type":"a","data":1,"ordering_key":"ours"})");
  const std::string before = get("/v1/events").body;
  for (const Refused& row : refused_events()) {
    SCOPED_TRACE(row.what);
    const HttpResponse response = post("/v1/events", row.body, row.headers);
    EXPECT_EQ(response.status, row.status) << response.body;
    EXPECT_EQ(code(response), row.code);
    EXPECT_EQ(member(response, "status"), std::to_string(row.status));
    EXPECT_NE(response.body.find(row.detail), std::string::npos) << response.body;
    EXPECT_EQ(header(response, "content-type"), "application/problem+json");
    EXPECT_EQ(header(response, "cache-control"), "no-store");
  }
  EXPECT_EQ(get("/v1/events").body, before);
}

TEST_F(EventsTest, data_of_the_deepest_and_largest_kind_is_taken) {
  EXPECT_EQ(post("/v1/events", R"({"type":"a","data":)" + std::string(64, '[') + std::string(64, ']') + "}").status,
            202);
  const std::string frame = R"({"type":"a","data":""})";
  const std::string largest = R"({"type":"a","data":")" + std::string(256 * 1024 - frame.size(), 'x') + "\"}";
  EXPECT_EQ(post("/v1/events", largest).status, 202);
  EXPECT_EQ(
      post("/v1/events", R"({"type":"a","data":1})", {{"content-type", "Application/JSON ; charset=utf-8"}}).status,
      202);
}

TEST_F(EventsTest, a_key_with_event_types_sends_no_others) {
  act_as(make_key(R"("role":"producer","client":"c","event_types":["order.*"])"));
  EXPECT_EQ(post("/v1/events", R"({"type":"order.made","data":1})").status, 202);
  const HttpResponse response = post("/v1/events", R"({"type":"bill.made","data":1})");
  EXPECT_EQ(response.status, 403);
  EXPECT_EQ(code(response), "EVENT_TYPE_FORBIDDEN");
}

TEST_F(EventsTest, a_store_that_refuses_is_503_and_nothing_happened) {
  store_->next_answer = store::Refused{{Fault::unavailable, "closed"}};
  const HttpResponse response = post("/v1/events", R"({"type":"a","data":1})");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(code(response), "STORE_UNAVAILABLE");
  EXPECT_EQ(member(response, "retryable"), "true");
  EXPECT_EQ(header(response, "retry-after"), "1");
  EXPECT_EQ(member(response, "retry_after_ms"), "1000");
}

TEST_F(EventsTest, a_commit_in_doubt_is_503_with_the_id_that_settles_it) {
  store_->next_answer = store::Unknown{.error = {Fault::unknown_outcome, "no answer"}, .fatal = false};
  const HttpResponse response = post("/v1/events", R"({"id":"e-9","type":"a","data":1})");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(code(response), "OUTCOME_UNKNOWN");
  EXPECT_EQ(member(response, "event_ids"), R"(["e-9"])");
  EXPECT_EQ(header(response, "retry-after"), "1");
}

TEST_F(EventsTest, too_many_waiting_deliveries_are_503_until_there_is_room) {
  for (int i = 0; i < 50; ++i) make_endpoint("/never" + std::to_string(i), R"("event_types":["*"],"max_in_flight":1)");
  std::string batch = R"({"events":[)";
  for (int i = 0; i < 500; ++i) batch += std::string(i == 0 ? "" : ",") + R"({"type":"a","data":1})";
  batch += "]}";
  EXPECT_EQ(post("/v1/events/batch", batch).status, 200);
  EXPECT_EQ(post("/v1/events/batch", batch).status, 200);
  EXPECT_EQ(post("/v1/events", R"({"type":"a","data":1})").status, 202);
  EXPECT_EQ(post("/v1/events", R"({"type":"a","data":1})").status, 202);
  const HttpResponse response = post("/v1/events", R"({"type":"a","data":1})");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(code(response), "OVERLOADED");
  EXPECT_EQ(header(response, "retry-after"), "1");
  EXPECT_EQ(code(post("/v1/events/batch", batch)), "OVERLOADED");
}

}  // namespace
}  // namespace semel::api
