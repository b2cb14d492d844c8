// pattern_test.cc: event types, patterns, and who gets an event.
#include "core/routing/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace semel::routing {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(EventType, is_1_to_8_dotted_segments_of_at_most_128_bytes) {
  for (const std::string& type : {std::string("a"), std::string("shipment.created"), std::string("A-z_0.9"),
                                  std::string("a.b.c.d.e.f.g.h"), std::string(128, 'x')})
    EXPECT_TRUE(is_valid_event_type(type)) << type;
  for (const std::string& type :
       {std::string(), std::string("."), std::string(".a"), std::string("a."), std::string("a..b"), std::string("a b"),
        std::string("a.*"), std::string("*"), std::string("a.b.c.d.e.f.g.h.i"), std::string(129, 'x'),
        std::string("\xc3\xa9"), std::string("a/b"), std::string("a\0", 2)})
    EXPECT_FALSE(is_valid_event_type(type)) << type;
}

TEST(Pattern, is_a_type_or_whole_segments_and_a_star_or_a_star) {
  for (const std::string& pattern : {std::string("*"), std::string("a"), std::string("a.b"), std::string("a.*"),
                                     std::string("a.b.c.d.e.f.g.*"), std::string(126, 'x') + ".*"})
    EXPECT_TRUE(is_valid_pattern(pattern)) << pattern;
  for (const std::string& pattern :
       {std::string(), std::string(".*"), std::string("**"), std::string("a*"), std::string("*.a"),
        std::string("a.*.b"), std::string("a.*.*"), std::string("a..*"), std::string("a.b.c.d.e.f.g.h.*"),
        std::string(127, 'x') + ".*"})
    EXPECT_FALSE(is_valid_pattern(pattern)) << pattern;
}

TEST(Matches, the_star_stands_for_one_or_more_further_segments) {
  const struct {
    std::string pattern, type;
    bool matches;
  } rows[] = {
      {"*", "a", true},
      {"*", "a.b.c", true},
      {"a.b", "a.b", true},
      {"a.b", "a.b.c", false},
      {"a.b", "a.B", false},
      {"a", "a.b", false},
      {"shipment.*", "shipment.created", true},
      {"shipment.*", "shipment.item.lost", true},
      {"shipment.*", "shipment", false},
      {"shipment.*", "shipments.created", false},
      {"shipment.*", "x.shipment.created", false},
      {"a.b.*", "a.b.c", true},
      {"a.b.*", "a.bc.d", false},
  };
  for (const auto& row : rows) EXPECT_EQ(matches(row.pattern, row.type), row.matches) << row.pattern << " " << row.type;
}

RoutingTable table_of(std::vector<std::string> allowed, std::vector<Subscription> subscriptions) {
  return {.version = {1}, .allowed_event_types = std::move(allowed), .subscriptions = std::move(subscriptions)};
}

TEST(Route, names_each_endpoint_once_in_rising_order) {
  const RoutingTable table = table_of({"*"}, {{.endpoint = {9}, .patterns = {"a.*"}},
                                              {.endpoint = {2}, .patterns = {"b", "a.x"}},
                                              {.endpoint = {9}, .patterns = {"*"}},
                                              {.endpoint = {5}, .patterns = {"c"}}});
  EXPECT_THAT(route(table, "a.x"), ElementsAre(EndpointKey{2}, EndpointKey{9}));
  EXPECT_THAT(route(table, "b"), ElementsAre(EndpointKey{2}, EndpointKey{9}));
  EXPECT_THAT(route(table, "a.y"), ElementsAre(EndpointKey{9}));
}

TEST(Route, nobody_gets_a_type_that_the_tenant_may_not_receive) {
  const std::vector<Subscription> everything = {{.endpoint = {1}, .patterns = {"*"}}};
  EXPECT_THAT(route(table_of({"shipment.*", "order.paid"}, everything), "order.created"), IsEmpty());
  EXPECT_THAT(route(table_of({"shipment.*", "order.paid"}, everything), "order.paid"), ElementsAre(EndpointKey{1}));
  EXPECT_THAT(route(table_of({}, everything), "order.paid"), IsEmpty());
  EXPECT_THAT(route(table_of({"*"}, {{.endpoint = {1}, .patterns = {}}}), "order.paid"), IsEmpty());
}

}  // namespace
}  // namespace semel::routing
