// event_batch_test.cc: POST /v1/events/batch.
#include "api/test_rig.h"

namespace semel::api {
namespace {

class BatchTest : public ApiTest {
 protected:
  // "202 422/CODE .." of the results.
  static std::string summary(const HttpResponse& response) {
    const Result<JsonDocument> document = parse_json(response.body);
    if (!document || !document->root().find("results")) return response.body;
    const JsonValue results = *document->root().find("results");
    std::string text;
    for (std::size_t i = 0; i < results.size(); ++i) {
      text.append(i == 0 ? "" : " ").append(results.at(i).find("status")->text());
      if (const auto found = results.at(i).find("code")) text.append("/").append(found->text());
    }
    return text;
  }
  HttpResponse batch(const std::string& items, Headers headers = {}) {
    return post("/v1/events/batch", R"({"events":[)" + items + "]}", std::move(headers));
  }
};

TEST_F(BatchTest, the_order_of_the_array_is_the_order_of_the_key) {
  const HttpResponse response = batch(R"({"id":"a","type":"t","data":1,"ordering_key":"k"},
                                         {"id":"b","type":"t","data":2,"ordering_key":"k"})");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body,
            R"({"results":[{"status":202,"id":"a","sequence":1,"accepted_at":"2026-11-30T08:00:00.000Z",)"
            R"("duplicate":false,"deliveries":[],"routing":"no_match"},)"
            R"({"status":202,"id":"b","sequence":2,"accepted_at":"2026-11-30T08:00:00.000Z",)"
            R"("duplicate":false,"deliveries":[],"routing":"no_match"}]})");
}

TEST_F(BatchTest, a_malformed_item_is_refused_alone_and_holds_back_its_ordering_key) {
  EXPECT_EQ(summary(batch(R"({"type":"t","data":1,"ordering_key":"k"},
                             {"type":"t","data":2,"ordering_key":"k","colour":"red"},
                             {"type":"t","data":3,"ordering_key":"k"},
                             {"type":"t","data":4,"ordering_key":"other"},
                             {"type":"t","data":5},
                             7)")),
            "202 400/MEMBER_UNKNOWN 424/PREDECESSOR_REFUSED 202 202 400/BODY_INVALID");
}

TEST_F(BatchTest, what_is_known_already_is_answered_also_behind_a_malformed_item) {
  ASSERT_EQ(summary(batch(R"({"id":"e-1","type":"t","data":1,"ordering_key":"k"})")), "202");
  EXPECT_EQ(summary(batch(R"({"type":"t","data":2,"ordering_key":"k","colour":"red"},
                             {"id":"e-1","type":"t","data":1,"ordering_key":"k"},
                             {"type":"t","data":3,"ordering_key":"k"})")),
            "400/MEMBER_UNKNOWN 202 424/PREDECESSOR_REFUSED");
}

TEST_F(BatchTest, an_item_the_store_refuses_holds_back_its_ordering_key) {
  const HttpResponse response = batch(R"({"type":"t","data":1,"ordering_key":"k","sequence":1},
                                         {"type":"t","data":2,"ordering_key":"k","sequence":3},
                                         {"type":"t","data":3,"ordering_key":"k","sequence":2},
                                         {"type":"t","data":4,"ordering_key":"other","sequence":1})");
  EXPECT_EQ(summary(response), "202 409/SEQUENCE_GAP 424/PREDECESSOR_REFUSED 202");
  EXPECT_NE(response.body.find(R"("expected":2)"), std::string::npos);
}

TEST_F(BatchTest, items_of_a_type_the_key_may_not_send_are_refused_one_by_one) {
  act_as(make_key(R"("role":"producer","client":"c","event_types":["order.*"])"));
  EXPECT_EQ(summary(batch(R"({"type":"order.a","data":1},{"type":"bill.a","data":1})")),
            "202 403/EVENT_TYPE_FORBIDDEN");
}

TEST_F(BatchTest, an_item_over_256_KiB_is_refused_alone) {
  EXPECT_EQ(summary(batch(R"({"type":"t","data":1},{"type":"t","data":")" + std::string(256 * 1024, 'x') + "\"}")),
            "202 413/BODY_TOO_LARGE");
}

TEST_F(BatchTest, with_nothing_but_malformed_items_is_answered_without_the_store) {
  store_->next_answer = store::Refused{{Fault::unavailable, "closed"}};
  EXPECT_EQ(summary(batch("1,2")), "400/BODY_INVALID 400/BODY_INVALID");
}

TEST_F(BatchTest, the_same_key_and_content_gets_the_same_results) {
  const std::string items = R"({"type":"t","data":1,"ordering_key":"k"},{"type":"t","data":2,"ordering_key":"k"})";
  const Headers key = {{"idempotency-key", "b-1"}};
  const HttpResponse first = batch(items, key);
  const HttpResponse again = batch(items, key);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(header(first, "idempotent-replayed"), "");
  EXPECT_EQ(header(again, "idempotent-replayed"), "true");
  EXPECT_EQ(header(first, "idempotency-expires"), "Sun, 28 Feb 2027 08:00:00 GMT");
}

TEST_F(BatchTest, the_same_key_with_another_content_is_refused_as_a_whole) {
  const Headers key = {{"idempotency-key", "b-1"}};
  batch(R"({"type":"t","data":1})", key);
  const HttpResponse response = batch(R"({"type":"t","data":1},{"type":"t","data":2})", key);
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(code(response), "IDEMPOTENCY_KEY_REUSED_WITH_DIFFERENT_REQUEST");
}

TEST_F(BatchTest, a_key_is_bound_to_every_item_also_to_those_that_are_refused) {
  const Headers key = {{"idempotency-key", "b-1"}};
  const std::string items = R"({"type":"t","data":1},7)";
  const HttpResponse first = batch(items, key);
  ASSERT_EQ(summary(first), "202 400/BODY_INVALID");
  EXPECT_EQ(code(batch(R"({"type":"t","data":1})", key)), "IDEMPOTENCY_KEY_REUSED_WITH_DIFFERENT_REQUEST");
  EXPECT_EQ(code(batch(R"(7,{"type":"t","data":1})", key)), "IDEMPOTENCY_KEY_REUSED_WITH_DIFFERENT_REQUEST");
  EXPECT_EQ(summary(batch(items, key)), "202 400/BODY_INVALID");
}

TEST_F(BatchTest, an_item_that_was_forbidden_is_judged_when_the_same_batch_comes_again_and_the_others_are_not) {
  const Headers key = {{"idempotency-key", "b-1"}};
  const std::string items = R"({"type":"bill.a","data":1},{"id":"e","type":"order.a","data":1})";
  const auto orders_only = make_key(R"("role":"producer","client":"c","event_types":["order.*"])");
  const auto everything = make_key(R"("role":"producer","client":"c")");
  act_as(orders_only);
  ASSERT_EQ(summary(batch(items, key)), "403/EVENT_TYPE_FORBIDDEN 202");
  act_as(everything);
  const HttpResponse again = batch(items, key);
  EXPECT_EQ(summary(again), "202 202");
  EXPECT_NE(again.body.find(R"("id":"e","accepted_at":"2026-11-30T08:00:00.000Z","duplicate":false)"),
            std::string::npos);
}

TEST_F(BatchTest, the_key_of_a_single_event_is_another_key) {
  const Headers key = {{"idempotency-key", "k"}};
  const HttpResponse single = post("/v1/events", R"({"type":"t","data":1})", key);
  const HttpResponse whole = batch(R"({"type":"t","data":1})", key);
  EXPECT_EQ(single.status, 202);
  EXPECT_EQ(whole.status, 200);
  EXPECT_EQ(header(whole, "idempotent-replayed"), "");
  EXPECT_EQ(whole.body.find(member(single, "id")), std::string::npos) << whole.body;
  EXPECT_EQ(post("/v1/events", R"({"type":"t","data":1})", key).body, single.body);
}

TEST_F(BatchTest, what_is_no_batch_is_refused_as_a_whole) {
  std::string over_500 = "1";
  for (int i = 0; i < 500; ++i) over_500 += ",1";
  const struct {
    std::string body;
    int status;
    std::string_view code;
  } rows[] = {
      {"[]", 400, "BODY_INVALID"},
      {"{}", 400, "MEMBER_MISSING"},
      {R"({"events":{}})", 400, "MEMBER_INVALID"},
      {R"({"events":[]})", 400, "MEMBER_INVALID"},
      {R"({"events":[],"more":1})", 400, "MEMBER_UNKNOWN"},
      {R"({"events":[)" + over_500 + "]}", 413, "BATCH_TOO_LARGE"},
      {R"({"events":[")" + std::string(4 * 1024 * 1024, 'x') + "\"]}", 413, "BODY_TOO_LARGE"},
      {R"({"events":[1)", 400, "BODY_INVALID"},
  };
  for (const auto& row : rows) {
    const HttpResponse response = post("/v1/events/batch", row.body);
    EXPECT_EQ(response.status, row.status) << row.body.substr(0, 60);
    EXPECT_EQ(code(response), row.code) << row.body.substr(0, 60);
  }
}

TEST_F(BatchTest, in_doubt_is_503_with_the_ids_of_all_items) {
  store_->next_answer = store::Unknown{.error = {Fault::unknown_outcome, "no answer"}, .fatal = false};
  const HttpResponse response = batch(R"({"id":"a","type":"t","data":1},{"id":"b","type":"t","data":1})");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(code(response), "OUTCOME_UNKNOWN");
  EXPECT_EQ(member(response, "event_ids"), R"(["a","b"])");
}

TEST_F(BatchTest, a_store_that_refuses_is_503_for_the_whole) {
  store_->next_answer = store::Refused{{Fault::busy, "full"}};
  EXPECT_EQ(code(batch(R"({"type":"t","data":1})")), "STORE_UNAVAILABLE");
}

}  // namespace
}  // namespace semel::api
