// What an exchange puts on the wire and how it names what came back, in a network of memory with virtual time.
#include "http/client.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "http/testing/exchange_world.h"

namespace semel::http {
namespace {

using testing::address;
using testing::ExchangeWorld;
using testing::kShop;
using testing::ok;
using testing::Peer;
using Trouble = NoAnswer::Trouble;
using Body = Answer::Body;

const Answer& answer_in(const Outcome& outcome) { return std::get<Answer>(outcome); }
const NoAnswer& none_in(const Outcome& outcome) { return std::get<NoAnswer>(outcome); }

TEST(Client, writes_one_request_in_full) {
  ExchangeWorld world;
  world.answers(kShop, ok());
  SealedRequest request = world.request("https://shop.example/hook?a=b");
  request.headers = "webhook-id: evt_1\r\nsemel-attempt: 3\r\n";
  request.body = "{\"id\":\"evt_1\"}";
  EXPECT_EQ(answer_in(world.send(std::move(request))).status, 200);
  EXPECT_EQ(world.net.peers.at(0)->received,
            "POST /hook?a=b HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 14\r\n"
            "webhook-id: evt_1\r\nsemel-attempt: 3\r\n\r\n{\"id\":\"evt_1\"}");
  EXPECT_EQ(world.net.connects.at(0).tls->name, "shop.example");
}

TEST(Client, names_another_port_in_host) {
  ExchangeWorld world;
  world.answers(address("93.184.216.34:8443"), ok());
  world.send(world.request("https://shop.example:8443/"));
  EXPECT_TRUE(world.net.peers.at(0)->received.contains("\r\nHost: shop.example:8443\r\n"));
}

TEST(Client, keeps_the_facts_of_an_answer) {
  ExchangeWorld world;
  world.answers(kShop, "HTTP/1.1 503 x\r\nRetry-After: 5\r\nSemel-Disposition: parked\r\nContent-Length: 2\r\n\r\nno");
  const Outcome outcome = world.send();
  EXPECT_EQ(answer_in(outcome).status, 503);
  EXPECT_EQ(answer_in(outcome).retry_after, "5");
  EXPECT_EQ(answer_in(outcome).disposition, "parked");
  EXPECT_EQ(answer_in(outcome).body_excerpt, "no");
  EXPECT_EQ(answer_in(outcome).body, Body::complete);
}

TEST(Client, keeps_one_kibibyte_of_a_body) {
  ExchangeWorld world;
  world.answers(kShop, ok(std::string(1024, 'a') + "b"));
  const Outcome outcome = world.send();
  EXPECT_EQ(answer_in(outcome).body_excerpt, std::string(1024, 'a'));
  EXPECT_EQ(answer_in(outcome).body, Body::complete);
}

TEST(Client, never_follows_a_redirect) {
  for (const std::string status : {"301", "302", "303", "307", "308"}) {
    for (const std::string to : {"http://169.254.169.254/", "http://shop.example/", "https://shop.example/hook"}) {
      SCOPED_TRACE(status + " to " + to);
      ExchangeWorld world;
      world.answers(kShop, "HTTP/1.1 " + status + " x\r\nLocation: " + to + "\r\nContent-Length: 0\r\n\r\n");
      EXPECT_EQ(std::to_string(answer_in(world.send()).status), status);
      world.clock.settle();
      EXPECT_EQ(world.net.connects.size(), 1u);
    }
  }
}

TEST(Client, ignores_what_would_lead_it_elsewhere) {
  ExchangeWorld world;
  world.answers(kShop,
                "HTTP/1.1 200 OK\r\nRefresh: 0; url=http://169.254.169.254/\r\nAlt-Svc: h2=\"evil.example:443\"\r\n"
                "Link: </x>; rel=preload\r\nSet-Cookie: a=b\r\nStrict-Transport-Security: max-age=1\r\n"
                "Content-Length: 0\r\n\r\n");
  world.send();
  world.send();
  EXPECT_EQ(world.net.connects.size(), 1u);
  EXPECT_EQ(world.resolver.lookups, 1);
  const std::string& received = world.net.peers.at(0)->received;
  EXPECT_EQ(received.substr(0, received.size() / 2), received.substr(received.size() / 2));
}

struct EndCase {
  std::string name;
  std::string bytes;
  bool reset;  // else an orderly end
  std::optional<Trouble> trouble;
  int status = 0;
  Body body = Body::complete;
};

TEST(Client, names_how_a_connection_ended) {
  const std::vector<EndCase> cases = {
      {"no byte, end", "", false, Trouble::connection_lost},
      {"no byte, reset", "", true, Trouble::connection_lost},
      {"half a head, end", "HTTP/1.1 200 OK\r\n", false, Trouble::connection_lost},
      {"half a head, reset", "HTTP/1.1 200 OK\r\n", true, Trouble::connection_lost},
      {"only an interim response", "HTTP/1.1 100 x\r\n\r\n", false, Trouble::connection_lost},
      {"half a body, end", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", false, std::nullopt, 200,
       Body::incomplete},
      {"half a body, reset", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", true, std::nullopt, 200,
       Body::incomplete},
      {"no last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", false, std::nullopt, 200,
       Body::incomplete},
      {"a broken chunk", "HTTP/1.1 500 x\r\nTransfer-Encoding: chunked\r\n\r\nzz", false, std::nullopt, 500,
       Body::incomplete},
      {"a body until the end", "HTTP/1.1 200 OK\r\n\r\nok", false, std::nullopt, 200, Body::complete},
      {"a body until a reset", "HTTP/1.1 200 OK\r\n\r\nok", true, std::nullopt, 200, Body::incomplete},
      {"not HTTP", "SSH-2.0-OpenSSH_9.2\r\n", false, Trouble::malformed_answer},
      {"unprompted 101", "HTTP/1.1 101 x\r\n\r\n", false, Trouble::malformed_answer},
  };
  for (const EndCase& c : cases) {
    SCOPED_TRACE(c.name);
    ExchangeWorld world;
    world.receiver(kShop, [&](Peer& peer) {
      peer.send(c.bytes);
      if (c.reset) {
        peer.reset();
      } else {
        peer.end();
      }
    });
    const Outcome outcome = world.send();
    if (c.trouble) {
      EXPECT_EQ(none_in(outcome).trouble, *c.trouble);
      EXPECT_TRUE(none_in(outcome).request_byte_left);
      EXPECT_FALSE(none_in(outcome).stale_connection);
    } else {
      EXPECT_EQ(answer_in(outcome).status, c.status);
      EXPECT_EQ(answer_in(outcome).body, c.body);
    }
    EXPECT_EQ(world.exchange->idle_connections(), 0u);
    EXPECT_TRUE(world.net.peers.at(0)->closed);
  }
}

TEST(Client, an_early_answer_counts_although_the_request_was_cut) {
  ExchangeWorld world;
  world.net.places[kShop].on_connect = [](Peer& peer) {
    peer.takes = false;
    peer.after(milliseconds(10), [](Peer& self) {
      self.send("HTTP/1.1 413 x\r\nContent-Length: 0\r\n\r\n");
      self.reset();
    });
  };
  EXPECT_EQ(answer_in(world.send()).status, 413);
}

TEST(Client, an_early_success_is_not_complete_when_the_request_was_cut) {
  ExchangeWorld world;
  world.net.places[kShop].on_connect = [](Peer& peer) {
    peer.takes = false;
    peer.after(milliseconds(10), [](Peer& self) {
      self.send("HTTP/1.1 200 x\r\nContent-Length: 0\r\n\r\n");
      self.reset();
    });
  };
  const Answer answer = answer_in(world.send());
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, Answer::Body::incomplete);
}

// One total deadline of 15 s. Each row stretches one phase so that the answer would come `at` ms after the start.
TEST(Client, one_deadline_covers_every_phase) {
  enum class Slow { resolve, write, first_byte, head, body };
  struct Row {
    Slow slow;
    int at;
    bool in_time;
  };
  std::vector<Row> rows;
  for (const Slow slow : {Slow::resolve, Slow::write, Slow::first_byte, Slow::head, Slow::body}) {
    rows.push_back({slow, 14'999, true});
    rows.push_back({slow, 15'000, false});
    rows.push_back({slow, 15'001, false});
  }
  for (const Row& row : rows) {
    SCOPED_TRACE(std::to_string(static_cast<int>(row.slow)) + " at " + std::to_string(row.at));
    ExchangeWorld world;
    const milliseconds at(row.at);
    switch (row.slow) {
      case Slow::resolve:
        world.resolver.takes = at;
        world.answers(kShop, ok());
        break;
      case Slow::write:
        world.net.places[kShop].on_connect = [at](Peer& peer) {
          peer.takes = false;
          peer.after(at, [](Peer& self) {
            self.send("HTTP/1.1 413 x\r\nContent-Length: 0\r\n\r\n");
            self.reset();
          });
        };
        break;
      case Slow::first_byte:
        world.receiver(kShop, [at](Peer& peer) { peer.after(at, [](Peer& self) { self.send(ok()); }); });
        break;
      case Slow::head:
        world.receiver(kShop, [at](Peer& peer) {
          peer.send("HTTP/1.1 200 OK\r\n");
          peer.after(at, [](Peer& self) { self.send("Content-Length: 0\r\n\r\n"); });
        });
        break;
      case Slow::body:
        world.receiver(kShop, [at](Peer& peer) {
          peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n");
          peer.after(at, [](Peer& self) { self.send("x"); });
        });
        break;
    }
    const MonotonicTime start = world.clock.now();
    const Outcome outcome = world.send();
    if (row.in_time) {
      EXPECT_EQ(answer_in(outcome).status, row.slow == Slow::write ? 413 : 200);
      EXPECT_EQ(answer_in(outcome).body, Body::complete);
      continue;
    }
    EXPECT_EQ(world.clock.now() - start, milliseconds(15'000));
    if (row.slow == Slow::body) {
      EXPECT_EQ(answer_in(outcome).body, Body::incomplete);
    } else {
      EXPECT_EQ(none_in(outcome).trouble, Trouble::timed_out);
      EXPECT_EQ(none_in(outcome).request_byte_left, row.slow != Slow::resolve);
    }
    EXPECT_EQ(world.exchange->idle_connections(), 0u);
  }
}

TEST(Client, the_deadline_covers_connecting) {
  for (const auto& [timeout, in_time] : {std::pair{3'001, true}, std::pair{3'000, false}, std::pair{2'999, false}}) {
    SCOPED_TRACE(timeout);
    ExchangeWorld world;
    world.answers(kShop, ok());
    world.net.places[kShop].takes = milliseconds(3'000);
    SealedRequest request = world.request();
    request.timeout = milliseconds(timeout);
    const Outcome outcome = world.send(std::move(request));
    EXPECT_EQ(std::holds_alternative<Answer>(outcome), in_time);
    if (in_time) continue;
    EXPECT_EQ(none_in(outcome).trouble, Trouble::timed_out);
    EXPECT_FALSE(none_in(outcome).request_byte_left);
  }
}

TEST(Client, reuses_a_connection) {
  ExchangeWorld world;
  world.answers(kShop, ok());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(answer_in(world.send()).status, 200);
  EXPECT_EQ(world.net.connects.size(), 1u);
  EXPECT_EQ(world.exchange->idle_connections(), 1u);
}

TEST(Client, a_fresh_connection_on_request) {
  ExchangeWorld world;
  world.answers(kShop, ok());
  world.send();
  SealedRequest request = world.request();
  request.fresh_connection = true;
  world.send(std::move(request));
  EXPECT_EQ(world.net.connects.size(), 2u);
}

TEST(Client, connections_are_not_shared_between_owners_settings_or_places) {
  const auto other = [](auto change) {
    ExchangeWorld world;
    for (const char* at : {"93.184.216.34:443", "93.184.216.34:8443", "93.184.216.34:80"})
      world.answers(address(at), ok());
    world.resolver.knows("cart.example", {"93.184.216.34"});
    world.send();
    SealedRequest request = world.request();
    change(request);
    world.send(std::move(request));
    return world.net.connects.size();
  };
  EXPECT_EQ(other([](SealedRequest&) {}), 1u);
  EXPECT_EQ(other([](SealedRequest& r) { r.url.target = "/elsewhere"; }), 1u);
  EXPECT_EQ(other([](SealedRequest& r) { r.pool.tenant = {9}; }), 2u);
  EXPECT_EQ(other([](SealedRequest& r) { r.pool.endpoint = {9}; }), 2u);
  EXPECT_EQ(other([](SealedRequest& r) { r.pool.config = {9}; }), 2u);
  EXPECT_EQ(other([](SealedRequest& r) { r.url.host = "cart.example"; }), 2u);
  EXPECT_EQ(other([](SealedRequest& r) { r.url.port = 8443; }), 2u);
}

TEST(Client, the_scheme_is_part_of_a_connections_key) {
  egress::EgressRules rules;
  rules.allowed = {{.network = testing::ip("93.184.216.34"), .prefix_length = 32, .ports = {}}};
  ExchangeWorld world(rules);
  world.answers(kShop, ok());
  world.send();
  SealedRequest request = world.request();
  request.url.scheme = egress::Scheme::http;
  world.send(std::move(request));
  ASSERT_EQ(world.net.connects.size(), 2u);
  EXPECT_TRUE(world.net.connects[0].tls.has_value());
  EXPECT_FALSE(world.net.connects[1].tls.has_value());
}

TEST(Client, a_connection_that_may_not_be_used_again_is_closed) {
  for (const std::string answer :
       {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 204 x\r\n\r\nbody"}) {
    SCOPED_TRACE(answer);
    ExchangeWorld world;
    world.answers(kShop, answer);
    world.send();
    EXPECT_EQ(world.exchange->idle_connections(), 0u);
    EXPECT_TRUE(world.net.peers.at(0)->closed);
  }
}

TEST(Client, a_connection_lives_60_s_and_then_the_name_is_looked_up_again) {
  ExchangeWorld world;
  world.answers(kShop, ok());
  world.send();
  world.clock.run_for(milliseconds(59'999));
  world.send();
  EXPECT_EQ(world.net.connects.size(), 1u);
  EXPECT_EQ(world.resolver.lookups, 1);
  world.clock.run_for(milliseconds(1));
  world.send();
  EXPECT_EQ(world.net.connects.size(), 2u);
  EXPECT_EQ(world.resolver.lookups, 2);
}

TEST(Client, idle_connections_go_without_being_asked_for) {
  ExchangeWorld world;
  world.answers(kShop, ok());
  world.send();
  world.clock.run_for(milliseconds(120'000));
  EXPECT_EQ(world.exchange->idle_connections(), 0u);
  EXPECT_TRUE(world.net.peers.at(0)->closed);
  EXPECT_EQ(world.clock.waiting(), 0u);
}

TEST(Client, an_unsolicited_byte_on_an_idle_connection_answers_nothing) {
  ExchangeWorld world;
  int connection = 0;
  world.net.places[kShop].on_connect = [&](Peer& peer) {
    const std::string answer = ++connection == 1 ? ok() : "HTTP/1.1 500 x\r\nContent-Length: 0\r\n\r\n";
    peer.on_bytes = [answer](Peer& self) { self.send(answer); };
  };
  world.send();
  world.net.peers.at(0)->send(ok("a forged acknowledgement"));
  EXPECT_EQ(answer_in(world.send()).status, 500);
  EXPECT_TRUE(world.net.peers.at(0)->closed);
}

TEST(Client, an_idle_connection_that_was_closed_is_not_used) {
  for (const bool reset : {false, true}) {
    ExchangeWorld world;
    world.answers(kShop, ok());
    world.send();
    if (reset) {
      world.net.peers.at(0)->reset();
    } else {
      world.net.peers.at(0)->end();
    }
    EXPECT_EQ(answer_in(world.send()).status, 200);
    EXPECT_EQ(world.net.connects.size(), 2u);
  }
}

TEST(Client, a_pooled_connection_that_dies_before_any_byte_is_called_stale) {
  struct {
    std::string before_death;
    bool stale;
  } const cases[] = {{"", true}, {"H", false}};
  for (const auto& c : cases) {
    ExchangeWorld world;
    int requests = 0;
    world.receiver(kShop, [&](Peer& peer) {
      if (++requests == 1) return peer.send(ok());
      peer.send(c.before_death);
      peer.reset();
    });
    world.send();
    const Outcome outcome = world.send();
    EXPECT_EQ(none_in(outcome).trouble, Trouble::connection_lost);
    EXPECT_TRUE(none_in(outcome).request_byte_left);
    EXPECT_EQ(none_in(outcome).stale_connection, c.stale);
    EXPECT_EQ(world.net.connects.size(), 1u);  // sending again is not the client's to decide
  }
}

TEST(Client, idle_connections_are_bounded_oldest_first) {
  struct {
    PoolLimits limits;
    std::size_t idle;
  } const cases[] = {{{.per_key_max = 3, .total_max = 100}, 6}, {{.per_key_max = 100, .total_max = 5}, 5}};
  for (const auto& c : cases) {
    ExchangeOptions options;
    options.pool = c.limits;
    ExchangeWorld world({}, options);
    world.answers(kShop, ok());
    for (int i = 0; i < 8; ++i) {
      SealedRequest request = world.request();
      request.fresh_connection = true;
      request.pool.endpoint = {i % 2};
      world.send(std::move(request));
    }
    EXPECT_EQ(world.exchange->idle_connections(), c.idle);
    EXPECT_TRUE(world.net.peers.at(0)->closed);
    EXPECT_FALSE(world.net.peers.at(7)->closed);
  }
}

}  // namespace
}  // namespace semel::http
