// The egress guard at send time: what DNS says is judged then, and a connection goes to the judged address or nowhere.
#include "http/guard.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "http/testing/exchange_world.h"

namespace semel::http {
namespace {

using testing::address;
using testing::ExchangeWorld;
using testing::ip;
using testing::kShop;
using testing::ok;
using Trouble = NoAnswer::Trouble;

const NoAnswer& none_in(const Outcome& outcome) { return std::get<NoAnswer>(outcome); }

TEST(Guard, judges_every_answer_and_one_denied_denies_all) {
  struct {
    std::string name;
    std::vector<std::string> answers;
    bool allowed;
  } const cases[] = {
      {"public", {"93.184.216.34"}, true},
      {"public of both families", {"93.184.216.34", "2606:4700:4700::1111"}, true},
      {"a name of loopback", {"127.0.0.1"}, false},
      {"public and mapped private", {"93.184.216.34", "::ffff:10.0.0.1"}, false},
      {"mapped private and public", {"::ffff:10.0.0.1", "93.184.216.34"}, false},
      {"public and metadata", {"93.184.216.34", "169.254.169.254"}, false},
      {"public and unspecified", {"93.184.216.34", "0.0.0.0"}, false},
      {"where an alias leads inside", {"10.1.2.3"}, false},
      {"IPv6 loopback", {"::1"}, false},
      {"unique local", {"fd00:ec2::254"}, false},
      {"own interface under a public number", {"93.184.216.99"}, false},
      {"public and own interface", {"93.184.216.34", "2606:4700::99"}, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    ExchangeWorld world({.allowed = {}, .own_addresses = {ip("93.184.216.99"), ip("2606:4700::99")}});
    world.answers(kShop, ok());
    world.resolver.knows("asked.example", c.answers);
    const Outcome outcome = world.send(world.request("https://asked.example/"));
    if (c.allowed) {
      EXPECT_EQ(std::get<Answer>(outcome).status, 200);
      continue;
    }
    EXPECT_EQ(none_in(outcome).trouble, Trouble::denied_destination);
    EXPECT_FALSE(none_in(outcome).request_byte_left);
    EXPECT_EQ(none_in(outcome).note, "the destination is not allowed");
    EXPECT_TRUE(world.net.connects.empty());
  }
}

TEST(Guard, judges_literal_addresses_too) {
  for (const std::string host : {"127.0.0.1", "[::1]", "10.0.0.1", "169.254.169.254", "[::ffff:8.8.8.8]"}) {
    SCOPED_TRACE(host);
    ExchangeWorld world;
    const Outcome outcome = world.send(world.request("https://" + host + "/"));
    EXPECT_EQ(none_in(outcome).trouble, Trouble::denied_destination);
    EXPECT_TRUE(world.net.connects.empty());
    EXPECT_EQ(world.resolver.lookups, 0);
  }
}

TEST(Guard, plain_http_only_where_the_operator_opened) {
  for (const bool opened : {false, true}) {
    egress::EgressRules rules;
    if (opened) rules.allowed = {{.network = ip("93.184.216.0"), .prefix_length = 24, .ports = {}}};
    ExchangeWorld world(rules);
    world.answers(address("93.184.216.34:80"), ok());
    const Outcome outcome = world.send(world.request("http://shop.example/"));
    EXPECT_EQ(std::holds_alternative<Answer>(outcome), opened);
  }
}

TEST(Guard, an_endpoint_that_became_private_is_denied_at_send) {
  ExchangeWorld world;
  world.answers(kShop, ok());
  world.resolver.knows("shop.example", {"10.0.0.1"});
  EXPECT_EQ(std::get<Answer>(world.send()).status, 200);
  world.clock.run_for(milliseconds(60'000));
  EXPECT_EQ(none_in(world.send()).trouble, Trouble::denied_destination);
  EXPECT_EQ(world.net.connects.size(), 1u);
}

TEST(Guard, a_changed_url_is_judged_although_a_connection_is_idle) {
  ExchangeWorld world;
  world.answers(kShop, ok());
  world.resolver.knows("inside.example", {"192.168.0.9"});
  EXPECT_EQ(std::get<Answer>(world.send()).status, 200);
  EXPECT_EQ(none_in(world.send(world.request("https://inside.example/hook"))).trouble, Trouble::denied_destination);
  EXPECT_EQ(world.net.connects.size(), 1u);
}

TEST(Guard, a_name_without_address_is_retried_and_may_come_later) {
  ExchangeWorld world;
  world.answers(kShop, ok());
  world.resolver.fails("late.example", Fault::not_found);
  world.resolver.names["late.example"].push_back(std::vector<IpAddress>{});
  world.resolver.fails("late.example", Fault::unavailable);
  world.resolver.knows("late.example", {"93.184.216.34"});
  for (int i = 0; i < 3; ++i) {
    const Outcome outcome = world.send(world.request("https://late.example/"));
    EXPECT_EQ(none_in(outcome).trouble, Trouble::name_resolution);
    EXPECT_FALSE(none_in(outcome).request_byte_left);
  }
  EXPECT_EQ(std::get<Answer>(world.send(world.request("https://late.example/"))).status, 200);
}

TEST(Guard, takes_16_answers_and_refuses_more) {
  for (const int answers : {16, 17}) {
    ExchangeWorld world;
    world.answers(kShop, ok());
    world.resolver.knows("many.example", std::vector<std::string>(static_cast<std::size_t>(answers), "93.184.216.34"));
    const Outcome outcome = world.send(world.request("https://many.example/"));
    if (answers == 16) {
      EXPECT_EQ(std::get<Answer>(outcome).status, 200);
    } else {
      EXPECT_EQ(none_in(outcome).trouble, Trouble::name_resolution);
    }
  }
}

TEST(Guard, looks_a_name_up_once_per_connection) {
  ExchangeWorld world;
  world.answers(kShop, ok());
  world.resolver.knows("flips.example", {"93.184.216.34"});
  world.resolver.knows("flips.example", {"127.0.0.1"});
  EXPECT_EQ(std::get<Answer>(world.send(world.request("https://flips.example/"))).status, 200);
  EXPECT_EQ(world.resolver.lookups, 1);
  EXPECT_EQ(world.net.connects.at(0).address, kShop);
  EXPECT_EQ(world.net.connects.at(0).tls->name, "flips.example");
}

TEST(Guard, sends_nothing_to_a_peer_that_is_not_the_checked_address) {
  ExchangeWorld world;
  world.answers(kShop, ok());
  world.net.places[kShop].leads_to = address("127.0.0.1:443");
  const Outcome outcome = world.send();
  EXPECT_EQ(none_in(outcome).trouble, Trouble::denied_destination);
  EXPECT_EQ(world.net.peers.at(0)->received, "");
  EXPECT_TRUE(world.net.peers.at(0)->aborted);
}

ConnectFailure failure(ConnectFailure::Stage stage) { return {.stage = stage, .timed_out = false, .note = "no"}; }

TEST(Guard, tries_the_answers_in_order) {
  ExchangeWorld world;
  world.resolver.knows("two.example", {"93.184.216.35", "93.184.216.34"});
  world.net.places[address("93.184.216.35:443")].failure = failure(ConnectFailure::Stage::connect);
  world.answers(kShop, ok());
  EXPECT_EQ(std::get<Answer>(world.send(world.request("https://two.example/"))).status, 200);
  EXPECT_EQ(world.net.connects.at(0).address, address("93.184.216.35:443"));
  EXPECT_EQ(world.net.connects.at(1).address, kShop);
}

TEST(Guard, names_the_stage_that_failed) {
  struct {
    ConnectFailure::Stage stage;
    Trouble trouble;
    std::size_t connects;
  } const cases[] = {
      {ConnectFailure::Stage::connect, Trouble::connect, 2},
      {ConnectFailure::Stage::tls, Trouble::tls, 2},
      {ConnectFailure::Stage::certificate, Trouble::certificate, 1},
  };
  for (const auto& c : cases) {
    ExchangeWorld world;
    world.resolver.knows("two.example", {"93.184.216.35", "93.184.216.34"});
    world.net.places[address("93.184.216.35:443")].failure = failure(c.stage);
    world.net.places[kShop].failure = failure(c.stage);
    const Outcome outcome = world.send(world.request("https://two.example/"));
    EXPECT_EQ(none_in(outcome).trouble, c.trouble);
    EXPECT_FALSE(none_in(outcome).request_byte_left);
    EXPECT_EQ(world.net.connects.size(), c.connects);
  }
}

TEST(Guard, one_connect_takes_at_most_5_s) {
  ExchangeWorld world;
  world.resolver.knows("two.example", {"93.184.216.35", "93.184.216.34"});
  world.net.places[address("93.184.216.35:443")].silent = true;
  world.answers(kShop, ok());
  const MonotonicTime start = world.clock.now();
  EXPECT_EQ(std::get<Answer>(world.send(world.request("https://two.example/"))).status, 200);
  EXPECT_EQ(world.clock.now() - start, milliseconds(5'000));
}

TEST(Guard, silent_addresses_cost_no_more_than_the_total_deadline) {
  struct {
    int timeout_ms;
    Trouble trouble;
    int took_ms;
  } const cases[] = {{8'000, Trouble::timed_out, 8'000}, {12'000, Trouble::connect, 10'000}};
  for (const auto& c : cases) {
    ExchangeWorld world;
    world.resolver.knows("two.example", {"93.184.216.35", "93.184.216.36"});
    world.net.places[address("93.184.216.35:443")].silent = true;
    world.net.places[address("93.184.216.36:443")].silent = true;
    SealedRequest request = world.request("https://two.example/");
    request.timeout = milliseconds(c.timeout_ms);
    const MonotonicTime start = world.clock.now();
    const Outcome outcome = world.send(std::move(request));
    EXPECT_EQ(world.clock.now() - start, milliseconds(c.took_ms));
    EXPECT_EQ(none_in(outcome).trouble, c.trouble);
    EXPECT_FALSE(none_in(outcome).request_byte_left);
  }
}

}  // namespace
}  // namespace semel::http
