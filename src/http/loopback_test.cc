// Server and clients against each other on real sockets.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "edge/net/net.h"
#include "edge/os/test_loop.h"
#include "http/client.h"
#include "http/server.h"
#include "http/simple_client.h"
#include "port/scope.h"

namespace semel::http {
namespace {

const SocketAddress kAny{.ip = {.family = IpAddress::Family::v4, .bytes = {127, 0, 0, 1}}, .port = 0};

struct LoopbackWorld {
  LoopbackWorld() {
    server = *serve(*net, loop.loop, loop.loop, kAny, {}, [](HttpRequest request) -> Co<HttpResponse> {
      co_return HttpResponse{.status = 200, .headers = {}, .body = std::move(request.body)};
    });
    rules.allowed = {*egress::parse_allowed_range("127.0.0.0/8:1-65535")};
  }
  std::string url() const { return "http://" + egress::format_socket_address(server->local()) + "/echo"; }

  template <class T>
  T run(Co<T> body) {
    std::optional<T> result;
    scope.spawn(keep(std::move(body), result));
    if (!result) {
      EXPECT_TRUE(loop.run());
    }
    return *std::move(result);
  }
  template <class T>
  Co<void> keep(Co<T> body, std::optional<T>& result) {
    result.emplace(co_await std::move(body));
    loop.loop.stop();
  }

  TestLoop loop;
  std::unique_ptr<Net> net = *make_net(loop.loop, {});
  std::unique_ptr<Resolver> resolver = *make_resolver(loop.loop, {});
  egress::EgressRules rules;
  std::unique_ptr<Server> server;
  Scope scope;
};

TEST(Loopback, many_plain_clients_at_once_get_their_own_answers) {
  LoopbackWorld world;
  SimpleClient client(*world.net, *world.resolver, world.loop.loop);
  int under_way = 64;
  int right = 0;
  const auto ask = [&](int n) -> Co<void> {
    for (int i = 0; i < 10; ++i) {
      const std::string body = std::to_string(n) + "/" + std::to_string(i) + std::string(20'000, 'x');
      SimpleRequest request{.method = "POST", .url = world.url(), .headers = {}, .body = body};
      const Result<SimpleAnswer> answer = co_await client.request(std::move(request));
      if (answer && answer->body == body) ++right;
    }
    if (--under_way == 0) world.loop.loop.stop();
  };
  for (int n = 0; n < 64; ++n) world.scope.spawn(ask(n));
  EXPECT_TRUE(world.loop.run());
  EXPECT_EQ(right, 640);
  EXPECT_LE(world.server->connections(), 64u);
}

TEST(Loopback, a_thousand_exchanges_use_one_connection) {
  LoopbackWorld world;
  HttpExchange exchange(*world.net, *world.resolver, world.loop.loop, world.rules);
  const auto all = [&]() -> Co<int> {
    int delivered = 0;
    for (int i = 0; i < 1'000; ++i) {
      SealedRequest request{.pool = {},
                            .url = *egress::parse_url(world.url(), world.rules),
                            .headers = "webhook-id: evt_1\r\n",
                            .body = "{}",
                            .timeout = milliseconds(5'000)};
      const Outcome outcome = co_await exchange.exchange(std::move(request));
      const auto* answer = std::get_if<Answer>(&outcome);
      if (answer && answer->status == 200 && answer->body_excerpt == "{}") ++delivered;
    }
    co_return delivered;
  };
  EXPECT_EQ(world.run(all()), 1'000);
  EXPECT_EQ(world.server->connections(), 1u);
}

TEST(Loopback, a_drained_server_takes_no_connection_and_lets_its_port_go) {
  LoopbackWorld world;
  SimpleClient client(*world.net, *world.resolver, world.loop.loop);
  EXPECT_TRUE(world.run(client.request({.url = world.url()})).has_value());
  const SocketAddress at = world.server->local();
  const std::string url = world.url();
  EXPECT_TRUE(world.run(world.server->drain(milliseconds(5'000))));
  EXPECT_EQ(world.server->connections(), 0u);
  EXPECT_EQ(world.run(client.request({.url = url})).error().fault, Fault::unavailable);
  EXPECT_TRUE(serve(*world.net, world.loop.loop, world.loop.loop, at, {}, [](HttpRequest) -> Co<HttpResponse> {
                co_return HttpResponse{};
              }).has_value());
}

}  // namespace
}  // namespace semel::http
