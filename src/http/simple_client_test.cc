// The command line's client: its URLs, its requests, its faults.
#include "http/simple_client.h"

#include <gtest/gtest.h>

#include <string>

#include "http/testing/memory_net.h"

namespace semel::http {
namespace {

using testing::address;
using testing::MemoryClock;
using testing::MemoryNet;
using testing::MemoryResolver;
using testing::Peer;

const SocketAddress kServer = address("127.0.0.1:7350");

struct SimpleWorld {
  MemoryClock clock;
  MemoryNet net{clock};
  MemoryResolver resolver{clock};
  SimpleClient client{net, resolver, clock};

  void server(std::function<void(Peer&)> on_bytes) {
    net.places[kServer].on_connect = [on_bytes = std::move(on_bytes)](Peer& peer) { peer.on_bytes = on_bytes; };
  }
  Result<SimpleAnswer> request(SimpleRequest request = {.url = "http://127.0.0.1:7350/v1/events"}) {
    return clock.run(client.request(std::move(request)));
  }
};

TEST(SimpleClient, reads_urls) {
  struct {
    std::string text;
    std::string host;
    int port;
    std::string target;
    bool literal;
  } const cases[] = {
      {"http://127.0.0.1:7350/v1/events?a=b", "127.0.0.1", 7350, "/v1/events?a=b", true},
      {"HTTP://Localhost", "localhost", 80, "/", false},
      {"https://semel.example", "semel.example", 443, "/", false},
      {"http://[::1]:7350", "::1", 7350, "/", true},
      {"http://x?a", "x", 80, "/?a", false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const auto url = parse_any_url(c.text);
    ASSERT_TRUE(url.has_value());
    EXPECT_EQ(url->host, c.host);
    EXPECT_EQ(url->port, c.port);
    EXPECT_EQ(url->target, c.target);
    EXPECT_EQ(url->literal.has_value(), c.literal);
  }
}

TEST(SimpleClient, refuses_what_is_no_url) {
  for (const std::string text :
       {"", "127.0.0.1:7350", "ftp://x/", "http://", "http:///a", "http://x:0/", "http://x:70000/", "http://x:/",
        "http://u:p@x/", "http://x/a b", "http://x/#a", "http://[::1", "http://[x]/", "http://x/\r\nHost: y"}) {
    SCOPED_TRACE(text);
    const auto url = parse_any_url(text);
    ASSERT_FALSE(url.has_value());
    EXPECT_EQ(url.error().fault, Fault::invalid);
  }
}

TEST(SimpleClient, asks_and_reads) {
  SimpleWorld world;
  world.server([](Peer& peer) { peer.send("HTTP/1.1 202 x\r\nX-A: b\r\nContent-Length: 2\r\n\r\n{}"); });
  const auto answer = world.request({.method = "POST",
                                     .url = "http://127.0.0.1:7350/v1/events",
                                     .headers = {{"authorization", "Bearer k"}},
                                     .body = "[]"});
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->status, 202);
  EXPECT_EQ(answer->header("x-a"), "b");
  EXPECT_EQ(answer->body, "{}");
  EXPECT_EQ(
      world.net.peers.at(0)->received,
      "POST /v1/events HTTP/1.1\r\nHost: 127.0.0.1:7350\r\nContent-Length: 2\r\nauthorization: Bearer k\r\n\r\n[]");
}

TEST(SimpleClient, keeps_its_connection) {
  SimpleWorld world;
  world.server([](Peer& peer) { peer.send("HTTP/1.1 200 x\r\nContent-Length: 0\r\n\r\n"); });
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(world.request().has_value());
  EXPECT_EQ(world.net.connects.size(), 1u);
}

TEST(SimpleClient, localhost_is_loopback_without_a_lookup) {
  SimpleWorld world;
  world.net.places[kServer].failure =
      ConnectFailure{.stage = ConnectFailure::Stage::connect, .timed_out = false, .note = "refused"};
  world.net.places[address("[::1]:7350")].on_connect = [](Peer& peer) {
    peer.on_bytes = [](Peer& self) { self.send("HTTP/1.1 200 x\r\nContent-Length: 0\r\n\r\n"); };
  };
  EXPECT_TRUE(world.request({.url = "http://localhost:7350/"}).has_value());
  EXPECT_EQ(world.resolver.lookups, 0);
}

TEST(SimpleClient, a_body_is_read_up_to_the_callers_limit) {
  for (const std::size_t limit : {2u, 1u}) {
    SimpleWorld world;
    world.server([](Peer& peer) { peer.send("HTTP/1.1 200 x\r\nContent-Length: 2\r\n\r\nok"); });
    const auto answer = world.request({.url = "http://127.0.0.1:7350/", .body_max = limit});
    if (limit == 2) {
      EXPECT_EQ(answer->body, "ok");
    } else {
      EXPECT_EQ(answer.error().fault, Fault::busy);
    }
  }
}

TEST(SimpleClient, names_the_doubt) {
  struct {
    std::string name;
    std::function<void(Peer&)> server;
    Fault fault;
  } const cases[] = {
      {"no answer", [](Peer&) {}, Fault::timed_out},
      {"closed", [](Peer& peer) { peer.end(); }, Fault::unknown_outcome},
      {"reset", [](Peer& peer) { peer.reset(); }, Fault::unknown_outcome},
      {"not HTTP", [](Peer& peer) { peer.send("hello\r\n"); }, Fault::unknown_outcome},
      {"cut body",
       [](Peer& peer) {
         peer.send("HTTP/1.1 200 x\r\nContent-Length: 9\r\n\r\n");
         peer.end();
       },
       Fault::unknown_outcome},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    SimpleWorld world;
    world.server(c.server);
    const auto answer = world.request();
    ASSERT_FALSE(answer.has_value());
    EXPECT_EQ(answer.error().fault, c.fault);
  }
}

TEST(SimpleClient, without_a_connection_nothing_happened) {
  SimpleWorld refused;
  refused.net.places[kServer].failure =
      ConnectFailure{.stage = ConnectFailure::Stage::connect, .timed_out = false, .note = "refused"};
  EXPECT_EQ(refused.request().error().fault, Fault::unavailable);

  SimpleWorld silent;
  silent.net.places[kServer].silent = true;
  EXPECT_EQ(silent.request({.url = "http://127.0.0.1:7350/", .timeout = milliseconds(1'000)}).error().fault,
            Fault::unavailable);

  SimpleWorld unresolved;
  unresolved.resolver.fails("nowhere.example", Fault::not_found);
  EXPECT_EQ(unresolved.request({.url = "http://nowhere.example/"}).error().fault, Fault::unavailable);
}

TEST(SimpleClient, refuses_headers_that_are_more_than_one_line) {
  SimpleWorld world;
  const auto answer = world.request({.url = "http://127.0.0.1:7350/", .headers = {{"a", "b\r\nc: d"}}});
  EXPECT_EQ(answer.error().fault, Fault::invalid);
  EXPECT_TRUE(world.net.connects.empty());
}

}  // namespace
}  // namespace semel::http
