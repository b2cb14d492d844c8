// api_test.cc: the door: path, key, right, tenant, Idempotency-Key, query, in this order.
#include "api/test_rig.h"

namespace semel::api {
namespace {

TEST_F(ApiTest, an_unknown_path_is_not_found_and_another_method_is_told_which_are_allowed) {
  EXPECT_EQ(code(get("/v1/nothing")), "NOT_FOUND");
  const HttpResponse response = send("PUT", "/v1/endpoints");
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(code(response), "METHOD_NOT_ALLOWED");
  EXPECT_EQ(header(response, "allow"), "POST, GET");
}

TEST_F(ApiTest, without_a_valid_key_nothing_opens_and_every_answer_looks_the_same) {
  act_as_nobody();
  const std::string unknown_id = "Bearer key_ffffffffffffffffffffffffffffffff." + std::string(43, 'A');
  const std::string wrong_secret = "Bearer key_00000000000000000000000000000001." + std::string(43, 'A');
  for (const Headers& headers :
       std::vector<Headers>{{},
                            {{"authorization", "Basic YTpi"}},
                            {{"authorization", "Bearer"}},
                            {{"authorization", unknown_id}},
                            {{"authorization", wrong_secret}},
                            {{"authorization", wrong_secret}, {"authorization", unknown_id}}}) {
    const HttpResponse response = send("GET", "/v1/endpoints", "", headers);
    EXPECT_EQ(response.status, 401);
    EXPECT_EQ(code(response), "NOT_AUTHENTICATED");
    EXPECT_EQ(header(response, "www-authenticate"), "Bearer realm=\"semel\"");
    EXPECT_EQ(member(response, "detail"), "send Authorization: Bearer and an API key");
  }
}

TEST_F(ApiTest, each_role_opens_its_own_routes_only) {
  const struct {
    std::string_view role;
    int send, read, manage, replay, keys;
  } rows[] = {
      {"producer", 415, 403, 403, 403, 403},
      {"reader", 403, 200, 403, 403, 403},
      {"manager", 403, 200, 415, 404, 403},
      {"operator", 415, 200, 415, 404, 200},
  };
  for (const auto& row : rows) {
    act_as_operator();
    act_as(make_key(R"("client":"c","role":")" + std::string(row.role) + "\""));
    EXPECT_EQ(send("POST", "/v1/events").status, row.send) << row.role;
    EXPECT_EQ(get("/v1/endpoints").status, row.read) << row.role;
    EXPECT_EQ(send("POST", "/v1/endpoints").status, row.manage) << row.role;
    EXPECT_EQ(send("POST", "/v1/deliveries/a.b/replay").status, row.replay) << row.role;
    EXPECT_EQ(get("/v1/keys").status, row.keys) << row.role;
    EXPECT_EQ(get("/v1/version").status, 200) << row.role;
  }
}

TEST_F(ApiTest, a_deleted_key_opens_nothing) {
  const HttpResponse made = post("/v1/keys", R"({"role":"reader","client":"c"})");
  EXPECT_EQ(send("DELETE", "/v1/keys/" + member(made, "id")).status, 204);
  act_as(member(made, "key"));
  EXPECT_EQ(get("/v1/endpoints").status, 401);
}

TEST_F(ApiTest, a_tenant_is_named_by_keys_of_every_tenant_only) {
  EXPECT_EQ(send("GET", "/v1/endpoints", "", {{"semel-tenant", "default"}}).status, 200);
  EXPECT_EQ(code(send("GET", "/v1/endpoints", "", {{"semel-tenant", "nobody"}})), "TENANT_FORBIDDEN");
  EXPECT_EQ(code(send("GET", "/v1/endpoints", "", {{"semel-tenant", "default"}, {"semel-tenant", "default"}})),
            "TENANT_FORBIDDEN");
  act_as(make_key(R"("client":"c","role":"reader")"));
  EXPECT_EQ(send("GET", "/v1/endpoints", "", {{"semel-tenant", "default"}}).status, 200);
  EXPECT_EQ(code(send("GET", "/v1/endpoints", "", {{"semel-tenant", "nobody"}})), "TENANT_FORBIDDEN");
}

TEST_F(ApiTest, an_idempotency_key_is_refused_where_it_is_not_honoured) {
  const Headers key = {{"idempotency-key", "\"k\""}};
  for (const auto& [method, target] :
       std::vector<std::pair<std::string, std::string>>{{"POST", "/v1/endpoints"},
                                                        {"DELETE", "/v1/endpoints/ep_1"},
                                                        {"POST", "/v1/subscriptions"},
                                                        {"DELETE", "/v1/subscriptions/sub_1"},
                                                        {"POST", "/v1/deliveries/a.b/replay"},
                                                        {"POST", "/v1/keys"},
                                                        {"DELETE", "/v1/keys/key_1"}}) {
    const HttpResponse response = send(method, target, "", key);
    EXPECT_EQ(response.status, 400) << target;
    EXPECT_EQ(code(response), "IDEMPOTENCY_KEY_UNSUPPORTED") << target;
  }
  EXPECT_EQ(send("GET", "/v1/endpoints", "", key).status, 200);
}

TEST_F(ApiTest, an_unreadable_idempotency_key_is_refused_before_the_body_is_read) {
  for (const Headers& headers : std::vector<Headers>{{{"idempotency-key", ""}},
                                                     {{"idempotency-key", "\"a\", \"b\""}},
                                                     {{"idempotency-key", "\"a\";x=1"}},
                                                     {{"idempotency-key", "a"}, {"idempotency-key", "a"}},
                                                     {{"idempotency-key", "00000000-0000-0000-0000-000000000000"}},
                                                     {{"idempotency-key", std::string(256, 'k')}}}) {
    const HttpResponse response = post("/v1/events", "not JSON", headers);
    EXPECT_EQ(response.status, 400);
    EXPECT_EQ(code(response), "IDEMPOTENCY_KEY_INVALID");
  }
}

TEST_F(ApiTest, unknown_query_parameters_are_refused) {
  EXPECT_EQ(code(get("/v1/endpoints?limit=1")), "QUERY_UNKNOWN");
  EXPECT_EQ(code(get("/v1/deliveries?status=due")), "QUERY_UNKNOWN");
  EXPECT_EQ(code(post("/v1/events?x=1", "{}")), "QUERY_UNKNOWN");
}

TEST_F(ApiTest, says_its_version) {
  const HttpResponse response = get("/v1/version");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(member(response, "name"), "semel");
}

}  // namespace
}  // namespace semel::api
