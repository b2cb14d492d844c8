// small_world.h: a sender and a receiver on a SimNet, for tests of the network alone: the real HTTP client and server,
// no engine.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/client.h"
#include "http/server.h"
#include "sim/net/sim_net.h"

namespace semel::sim::testing {

inline IpAddress ip(std::string_view text) { return *egress::parse_ip(text); }
inline SocketAddress address(std::string_view text) { return *egress::parse_socket_address(text); }

// Everything an observer hears, kept.
struct Heard final : NetObserver {
  std::vector<SocketAddress> connects;
  std::vector<WireRequest> left;
  std::vector<WireRequest> arrived;
  std::vector<WireAnswer> answers;

  void connect_asked(std::string_view, const SocketAddress& to) override { connects.push_back(to); }
  void request_left(std::string_view, const WireRequest& request) override { left.push_back(request); }
  void request_arrived(std::string_view, const WireRequest& request) override { arrived.push_back(request); }
  void answer_arrived(std::string_view, const WireAnswer& answer) override { answers.push_back(answer); }
};

inline Faults::Rates only(FaultClass fault, PerMillion rate = percent(100)) {
  Faults::Rates rates{};
  rates[static_cast<std::size_t>(fault)] = rate;
  return rates;
}

struct SmallWorld {
  explicit SmallWorld(std::uint64_t seed = 1, Faults::Rates rates = {}, Order order = Order::fifo)
      : schedule(Draw(seed, "schedule"), order, trace),
        faults(seed, rates, {}),
        net(schedule, Draw(seed, "net"), faults, trace, heard),
        sender("sender", schedule, wall),
        receiver("receiver", schedule, wall),
        sender_net(net.net_of(sender, ip("198.51.100.7"))),
        resolver(net.resolver_of(sender)),
        receiver_net(net.net_of(receiver, ip("93.184.216.34"))),
        exchange(std::make_unique<http::HttpExchange>(*sender_net, *resolver, sender, egress::EgressRules{})) {
    net.name_host("shop.example", {ip("93.184.216.34")});
  }
  ~SmallWorld() {
    sender.kill();
    receiver.kill();
  }

  // A receiver that answers each request with 200 and the length of its body.
  void serve() {
    server = *http::serve(*receiver_net, receiver, receiver, address("93.184.216.34:443"), {},
                          [this](HttpRequest request) -> Co<HttpResponse> {
                            ++handled;
                            co_return HttpResponse{.body = std::to_string(request.body.size())};
                          });
  }

  static SealedRequest request(std::string body = "{}") {
    return {.pool = {.tenant = {1}, .endpoint = {2}, .config = {3}},
            .url = *egress::parse_url("https://shop.example/hook", {}),
            .headers = "webhook-id: evt_1\r\n",
            .body = std::move(body),
            .timeout = milliseconds(15'000)};
  }

  void run_for(milliseconds time) {
    const MonotonicTime end = schedule.now() + time;
    while (schedule.step(end)) {
    }
  }
  // Runs until nothing is left to happen.
  void run_out() { run_for(std::chrono::hours(24)); }

  Outcome send(SealedRequest sealed = request()) {
    std::optional<Outcome> outcome;
    scope.spawn(keep(*exchange, std::move(sealed), outcome));
    const MonotonicTime end = schedule.now() + std::chrono::hours(1);
    while (!outcome && schedule.step(end)) {
    }
    SEMEL_CHECK(outcome.has_value());
    return *std::move(outcome);
  }

  static Co<void> keep(http::HttpExchange& over, SealedRequest sealed, std::optional<Outcome>& into) {
    into = co_await over.exchange(std::move(sealed));
  }

  Trace trace;
  Schedule schedule;
  Faults faults;
  Heard heard;
  WallClock wall{.at_start = WallTime{1'796'025'951'000}};
  SimNet net;
  Process sender, receiver;
  std::unique_ptr<Net> sender_net;
  std::unique_ptr<Resolver> resolver;
  std::unique_ptr<Net> receiver_net;
  std::unique_ptr<http::HttpExchange> exchange;
  std::unique_ptr<http::Server> server;
  int handled = 0;
  Scope scope;  // first to go
};

}  // namespace semel::sim::testing
