// config_test.cc: which bodies make an endpoint, what the others are told, and that the stored form reads back.
#include "core/endpoint/config.h"

#include <gtest/gtest.h>

namespace semel::endpoint {
namespace {

std::expected<NewEndpoint, ConfigError> read(std::string_view json, const egress::EgressRules& rules = {}) {
  const auto document = parse_json(json);
  return read_new_endpoint(document.value().root(), rules);
}

std::string body_with(std::string_view members) {
  return R"({"url":"https://example.com/hook")" + std::string(members) + "}";
}

TEST(NewEndpoint, a_url_is_enough_and_the_rest_has_defaults) {
  const auto made = read(R"({"url":"https://Example.com/hook"})");
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->config.url.text(), "https://example.com/hook");
  EXPECT_EQ(made->config.ordering, Ordering::none);
  EXPECT_EQ(std::get<retry::Named>(made->config.rules.policy), retry::Named::standard);
  EXPECT_EQ(made->config.rules.client_errors, retry::ClientErrors::retry);
  EXPECT_EQ(made->config.timeout, milliseconds(15'000));
  EXPECT_EQ(made->config.max_in_flight, 16u);
  EXPECT_EQ(made->event_types, std::nullopt);
  EXPECT_EQ(made->secret, std::nullopt);
  EXPECT_FALSE(made->asymmetric);
}

TEST(NewEndpoint, takes_every_member) {
  const auto made = read(R"({
    "url": "https://example.com:8443/", "ordering": "per-key", "on_dead": "block", "on_unknown": "resend",
    "client_errors": "give_up", "retry_policy": "five-minutes", "timeout_ms": 1000, "max_in_flight": 256,
    "event_types": ["shipment.*", "order.created"], "secret": "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX",
    "signature": "v1"})");
  ASSERT_TRUE(made.has_value()) << made.error().member;
  EXPECT_EQ(made->config.url.port, 8443);
  EXPECT_EQ(made->config.ordering, Ordering::per_key);
  EXPECT_EQ(std::get<retry::Named>(made->config.rules.policy), retry::Named::five_minutes);
  EXPECT_EQ(made->config.rules.client_errors, retry::ClientErrors::give_up);
  EXPECT_EQ(made->config.timeout, milliseconds(1'000));
  EXPECT_EQ(made->config.max_in_flight, 256u);
  EXPECT_EQ(made->event_types, (std::vector<std::string>{"shipment.*", "order.created"}));
  EXPECT_EQ(made->secret, "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX");
  EXPECT_FALSE(made->asymmetric);
}

struct Taken {
  const char* members;
};

TEST(NewEndpoint, takes_the_edges_of_what_is_allowed) {
  constexpr Taken kCases[] = {
      {R"(,"timeout_ms":1000)"},
      {R"(,"timeout_ms":30000)"},
      {R"(,"max_in_flight":1)"},
      {R"(,"max_in_flight":256)"},
      {R"(,"event_types":["*"])"},
      {R"(,"ordering":"none")"},
      {R"(,"client_errors":"retry")"},
      {R"(,"retry_policy":{"base":"50ms","factor":2,"max_delay":"2s","max_elapsed":"10m"})"},
      {R"(,"secret":"whsk_TM0Imyj/ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U+4pvs=","signature":"v1a")"},
      {R"(,"secret":"whsk_TM0Imyj/ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U+4pvs=")"},
  };
  for (const Taken& row : kCases) EXPECT_TRUE(read(body_with(row.members)).has_value()) << row.members;
}

TEST(NewEndpoint, an_ed25519_key_is_made_where_v1a_is_asked_for) {
  EXPECT_TRUE(read(body_with(R"(,"signature":"v1a")"))->asymmetric);
  EXPECT_FALSE(read(body_with(R"(,"signature":"v1")"))->asymmetric);
}

struct Refused {
  std::string json;
  const char* code;
  const char* member;
};

TEST(NewEndpoint, each_refusal_names_its_member_and_its_kind) {
  std::string many = R"(,"event_types":["a")";
  for (int i = 0; i < 100; ++i) many += R"(,"a")";
  const Refused kCases[] = {
      {R"([])", "BODY_INVALID", ""},
      {R"("https://example.com/")", "BODY_INVALID", ""},
      {R"({})", "MEMBER_MISSING", "url"},
      {R"({"url":null})", "MEMBER_INVALID", "url"},
      {R"({"url":7})", "MEMBER_INVALID", "url"},
      {R"({"url":"example.com"})", "URL_INVALID", "url"},
      {R"({"url":"https://127.1/"})", "URL_INVALID", "url"},
      {R"({"url":"https://127.0.0.1/"})", "DESTINATION_DENIED", "url"},
      {R"({"url":"http://example.com/"})", "DESTINATION_DENIED", "url"},
      {R"({"url":"https://example.com:22/"})", "DESTINATION_DENIED", "url"},
      {body_with(R"(,"colour":"red")"), "MEMBER_UNKNOWN", "colour"},
      {body_with(R"(,"Ordering":"none")"), "MEMBER_UNKNOWN", "Ordering"},
      {body_with(R"(,"ordering":"per_key")"), "MEMBER_INVALID", "ordering"},
      {body_with(R"(,"ordering":true)"), "MEMBER_INVALID", "ordering"},
      {body_with(R"(,"ordering":null)"), "MEMBER_INVALID", "ordering"},
      {body_with(R"(,"client_errors":"stop")"), "MEMBER_INVALID", "client_errors"},
      {body_with(R"(,"retry_policy":"never")"), "MEMBER_INVALID", "retry_policy"},
      {body_with(R"(,"retry_policy":{"bass":"1s"})"), "MEMBER_INVALID", "retry_policy"},
      {body_with(R"(,"timeout_ms":999)"), "MEMBER_INVALID", "timeout_ms"},
      {body_with(R"(,"timeout_ms":30001)"), "MEMBER_INVALID", "timeout_ms"},
      {body_with(R"(,"timeout_ms":1500.5)"), "MEMBER_INVALID", "timeout_ms"},
      {body_with(R"(,"timeout_ms":"1500")"), "MEMBER_INVALID", "timeout_ms"},
      {body_with(R"(,"timeout_ms":99999999999999999999)"), "MEMBER_INVALID", "timeout_ms"},
      {body_with(R"(,"max_in_flight":0)"), "MEMBER_INVALID", "max_in_flight"},
      {body_with(R"(,"max_in_flight":257)"), "MEMBER_INVALID", "max_in_flight"},
      {body_with(R"(,"max_in_flight":-1)"), "MEMBER_INVALID", "max_in_flight"},
      {body_with(R"(,"event_types":[])"), "MEMBER_INVALID", "event_types"},
      {body_with(R"(,"event_types":"*")"), "MEMBER_INVALID", "event_types"},
      {body_with(R"(,"event_types":["a..b"])"), "MEMBER_INVALID", "event_types"},
      {body_with(R"(,"event_types":["a",7])"), "MEMBER_INVALID", "event_types"},
      {body_with(many + "]"), "MEMBER_INVALID", "event_types"},
      {body_with(R"(,"secret":"")"), "MEMBER_INVALID", "secret"},
      {body_with(R"(,"secret":"whsec_c2hvcnQ=")"), "MEMBER_INVALID", "secret"},
      {body_with(R"(,"secret":"whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX","signature":"v1a")"), "MEMBER_INVALID",
       "secret"},
      {body_with(R"(,"signature":"v2")"), "MEMBER_INVALID", "signature"},
      {body_with(R"(,"on_dead":"skip")"), "NOT_SUPPORTED_YET", "on_dead"},
      {body_with(R"(,"on_dead":null)"), "NOT_SUPPORTED_YET", "on_dead"},
      {body_with(R"(,"on_unknown":"hold")"), "NOT_SUPPORTED_YET", "on_unknown"},
      {body_with(R"(,"on_unknown":"ask")"), "NOT_SUPPORTED_YET", "on_unknown"},
      {body_with(R"(,"status_query":{})"), "NOT_SUPPORTED_YET", "status_query"},
  };
  for (const Refused& row : kCases) {
    const auto made = read(row.json);
    ASSERT_FALSE(made.has_value()) << row.json;
    EXPECT_EQ(made.error().code, row.code) << row.json;
    EXPECT_EQ(made.error().member, row.member) << row.json;
    EXPECT_FALSE(made.error().note.empty()) << row.json;
  }
}

TEST(NewEndpoint, a_mistyped_member_is_told_the_nearest_known_name) {
  EXPECT_EQ(read(body_with(R"(,"timeout":5)")).error().note, "this member is not known (did you mean timeout_ms?)");
  EXPECT_EQ(read(body_with(R"(,"zzzzzz":5)")).error().note, "this member is not known");
}

TEST(NewEndpoint, no_refusal_repeats_a_secret) {
  const auto refused = read(body_with(R"(,"secret":"whsec_topsecrettopsecret!")"));
  EXPECT_FALSE(refused.error().note.contains("topsecret")) << refused.error().note;
}

TEST(StoredConfig, reads_back_what_was_written) {
  const egress::EgressRules rules{.allowed = {egress::parse_allowed_range("127.0.0.0/8:9000").value()}};
  const auto made = read(R"({"url":"http://127.0.0.1:9000/a?b","ordering":"per-key","client_errors":"give_up",
      "retry_policy":{"base":"50ms","factor":2,"max_delay":"2s","max_elapsed":"10m"},"timeout_ms":2000,
      "max_in_flight":64})",
                         rules);
  ASSERT_TRUE(made.has_value()) << made.error().note;
  const std::string stored = config_json(made->config);
  const auto config = read_config_json(stored);
  ASSERT_TRUE(config.has_value()) << config.error().note;
  EXPECT_EQ(config->url.text(), "http://127.0.0.1:9000/a?b");
  EXPECT_EQ(config->url.literal, egress::parse_ip("127.0.0.1"));
  EXPECT_EQ(config->ordering, Ordering::per_key);
  EXPECT_EQ(config->rules.client_errors, retry::ClientErrors::give_up);
  EXPECT_EQ(std::get<retry::Spelled>(config->rules.policy).base, milliseconds(50));
  EXPECT_EQ(std::get<retry::Spelled>(config->rules.policy).max_elapsed, milliseconds(600'000));
  EXPECT_EQ(config->timeout, milliseconds(2'000));
  EXPECT_EQ(config->max_in_flight, 64u);
  EXPECT_EQ(config_json(*config), stored);
}

TEST(StoredConfig, has_a_fixed_form) {
  EXPECT_EQ(config_json(read(R"({"url":"https://example.com"})")->config),
            R"({"url":"https://example.com/","ordering":"none","client_errors":"retry","retry_policy":"standard",)"
            R"("timeout_ms":15000,"max_in_flight":16})");
}

TEST(StoredConfig, anything_else_is_corrupt) {
  const char* kCases[] = {
      "",
      "{",
      "[]",
      "{}",
      R"({"url":"https://example.com/","ordering":"none","client_errors":"retry","retry_policy":"standard","timeout_ms":15000})",
      R"({"url":"https://example.com/","ordering":"none","client_errors":"retry","retry_policy":"standard","timeout_ms":15000,"more":1})",
      R"({"url":"https://example.com/","ordering":"none","client_errors":"retry","retry_policy":"standard","timeout_ms":15000,"max_in_flight":16,"more":1})",
      R"({"url":"https://127.1/","ordering":"none","client_errors":"retry","retry_policy":"standard","timeout_ms":15000,"max_in_flight":16})",
      R"({"url":"https://example.com/","ordering":"some","client_errors":"retry","retry_policy":"standard","timeout_ms":15000,"max_in_flight":16})",
      R"({"url":"https://example.com/","ordering":"none","client_errors":"retry","retry_policy":"standard","timeout_ms":15000,"max_in_flight":0})",
  };
  for (const char* stored : kCases) {
    const auto config = read_config_json(stored);
    ASSERT_FALSE(config.has_value()) << stored;
    EXPECT_EQ(config.error().fault, Fault::corrupt) << stored;
  }
}

}  // namespace
}  // namespace semel::endpoint
