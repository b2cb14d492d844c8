// router_test.cc: paths against patterns.
#include "api/router.h"

#include <gtest/gtest.h>

#include <set>

#include "api/routes.h"

namespace semel::api {
namespace {

std::string describe(std::string_view method, std::string_view path) {
  const Routing routing = find_route(routes(), method, path);
  if (const auto* routed = std::get_if<Routed>(&routing)) {
    std::string text(routed->route->pattern);
    for (const std::string& parameter : routed->path) text += " [" + parameter + "]";
    return text;
  }
  if (const auto* other = std::get_if<OtherMethods>(&routing)) return "allow " + other->allow;
  return "none";
}

TEST(Router, finds_routes_parameters_and_what_is_allowed_instead) {
  const struct {
    std::string_view method, path, expected;
  } rows[] = {
      {"POST", "/v1/events", "/v1/events"},
      {"POST", "/v1/events/batch", "/v1/events/batch"},
      {"GET", "/v1/events/evt_1", "/v1/events/{id} [evt_1]"},
      {"GET", "/v1/events/batch", "/v1/events/{id} [batch]"},
      {"GET", "/v1/deliveries/e%2E1.ep%5f2", "/v1/deliveries/{id} [e.1.ep_2]"},
      {"POST", "/v1/deliveries/a.b/replay", "/v1/deliveries/{id}/replay [a.b]"},
      {"PUT", "/v1/events", "allow POST, GET"},
      {"HEAD", "/v1/events", "allow POST, GET"},
      {"DELETE", "/v1/deliveries/a.b/replay", "allow POST"},
      {"get", "/v1/events", "allow POST, GET"},
      {"GET", "/v1/events/", "none"},
      {"GET", "/v1/events/%zz", "none"},
      {"GET", "/v1/endpoints//", "none"},
      {"GET", "/v1//events", "none"},
      {"GET", "/v1", "none"},
      {"GET", "/", "none"},
      {"GET", "", "none"},
      {"GET", "*", "none"},
  };
  for (const auto& row : rows) EXPECT_EQ(describe(row.method, row.path), row.expected) << row.method << " " << row.path;
}

TEST(Routes, only_the_two_event_routes_honour_idempotency_keys) {
  std::set<std::string_view> honoured;
  for (const Route& route : routes())
    if (route.key == KeyUse::honoured) honoured.insert(route.pattern);
  EXPECT_EQ(honoured, (std::set<std::string_view>{"/v1/events", "/v1/events/batch"}));
}

}  // namespace
}  // namespace semel::api
