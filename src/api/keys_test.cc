// keys_test.cc: API keys by API.
#include "api/test_rig.h"

namespace semel::api {
namespace {

using KeysTest = ApiTest;

TEST_F(KeysTest, a_new_one_shows_its_text_once) {
  const HttpResponse made = post("/v1/keys", R"({"role":"producer","client":"shop","event_types":["order.*"]})");
  EXPECT_EQ(made.status, 201);
  const std::string id = member(made, "id");
  EXPECT_EQ(member(made, "key").substr(0, 37), id + ".");
  EXPECT_EQ(get("/v1/keys").body, R"({"keys":[{"id":")" + id +
                                      R"(","role":"producer","client":"shop","tenant":"default",)"
                                      R"("event_types":["order.*"],"created_at":"2026-11-30T08:00:00.000Z"}]})");
}

TEST_F(KeysTest, only_a_key_of_every_tenant_makes_one_of_every_tenant) {
  const HttpResponse made = post("/v1/keys", R"({"role":"reader","client":"c","tenant":"*"})");
  EXPECT_EQ(member(made, "tenant"), "*");
  const std::string every_tenant = member(made, "id");
  act_as(make_key(R"("role":"operator","client":"c")"));
  EXPECT_EQ(code(post("/v1/keys", R"({"role":"reader","client":"c","tenant":"*"})")), "TENANT_FORBIDDEN");
  EXPECT_EQ(code(post("/v1/keys", R"({"role":"reader","client":"c","tenant":"other"})")), "TENANT_FORBIDDEN");
  EXPECT_EQ(post("/v1/keys", R"({"role":"reader","client":"c","tenant":"default"})").status, 201);
  EXPECT_EQ(get("/v1/keys").body.find(every_tenant), std::string::npos);
  EXPECT_EQ(code(send("DELETE", "/v1/keys/" + every_tenant)), "NOT_FOUND");
}

TEST_F(KeysTest, what_cannot_be_taken_is_refused_by_name) {
  const struct {
    std::string_view body, code;
  } rows[] = {
      {R"({"role":"king","client":"c"})", "MEMBER_INVALID"},
      {R"({"role":"reader"})", "MEMBER_MISSING"},
      {R"({"client":"c"})", "MEMBER_MISSING"},
      {R"({"role":"reader","client":""})", "MEMBER_INVALID"},
      {R"({"role":"reader","client":"a\u0000b"})", "MEMBER_INVALID"},
      {R"({"role":"reader","client":"c","tenant":"nobody"})", "MEMBER_INVALID"},
      {R"({"role":"reader","client":"c","event_types":["a b"]})", "MEMBER_INVALID"},
      {R"({"role":"reader","client":"c","name":"n"})", "MEMBER_UNKNOWN"},
      {"1", "BODY_INVALID"},
  };
  for (const auto& row : rows) EXPECT_EQ(code(post("/v1/keys", std::string(row.body))), row.code) << row.body;
  EXPECT_EQ(code(send("DELETE", "/v1/keys/key_nobody")), "NOT_FOUND");
}

TEST_F(KeysTest, one_deleted_again_after_a_lost_answer_opens_nothing) {
  const std::string key = make_key(R"("role":"reader","client":"c")");
  const std::string id = key.substr(0, key.find('.'));
  store_->start_commit(store::DeleteApiKey{.id = {id}}, [](store::CommitAnswer) {});
  run([]() -> Co<void> { co_return; }());
  EXPECT_EQ(send("DELETE", "/v1/keys/" + id).status, 204);
  act_as(key);
  EXPECT_EQ(get("/v1/events").status, 401);
}

TEST_F(KeysTest, one_whose_commit_is_in_doubt_opens_nothing) {
  store_->next_answer = store::Unknown{.error = {Fault::unknown_outcome, "?"}, .fatal = false};
  EXPECT_EQ(code(post("/v1/keys", R"({"role":"reader","client":"c"})")), "OUTCOME_UNKNOWN");
  EXPECT_EQ(get("/v1/keys").body, R"({"keys":[]})");
}

}  // namespace
}  // namespace semel::api
