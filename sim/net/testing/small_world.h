// small_world.h: a sender and a receiver on a SimNet, for tests of the network alone: the real HTTP client and server,
// no engine.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/client.h"
#include "http/server.h"
#include "sim/kernel/testing/only.h"
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
  struct Open {
    std::size_t asked;
    std::size_t accepted;
    bool operator==(const Open&) const = default;
  };
  std::map<std::string, Open, std::less<>> open;  // as last heard

  void connect_asked(std::string_view, const SocketAddress& to) override { connects.push_back(to); }
  void connection_opened(std::string_view name, std::size_t asked, std::size_t accepted) override {
    open[std::string(name)] = {asked, accepted};
  }
  void request_left(std::string_view, const WireRequest& request) override { left.push_back(request); }
  void request_arrived(std::string_view, const WireRequest& request) override { arrived.push_back(request); }
  void answer_arrived(std::string_view, const WireAnswer& answer) override { answers.push_back(answer); }
};

inline const IpAddress kSenderIp = ip("198.51.100.7");
inline const IpAddress kShopIp = ip("93.184.216.34");
inline const SocketAddress kShop = address("93.184.216.34:443");

// One incarnation of a process with its network.
struct Incarnation {
  Incarnation(std::string name, Schedule& schedule, const WallClock& wall, SimNet& net, IpAddress own)
      : process(std::move(name), schedule, wall), network(net.net_of(process, own)) {}
  ~Incarnation() { process.kill(); }

  Process process;
  std::unique_ptr<Net> network;
  std::unique_ptr<http::Server> server;
};

struct SmallWorld {
  explicit SmallWorld(std::uint64_t seed = 1, Faults::Rates rates = {}, Order order = Order::fifo)
      : schedule(Draw(seed, "schedule"), order, trace),
        faults(seed, rates, {}),
        net(schedule, Draw(seed, "net"), faults, trace, heard),
        sender("sender", schedule, wall, net, kSenderIp),
        resolver(net.resolver_of(sender.process)),
        exchange(
            std::make_unique<http::HttpExchange>(*sender.network, *resolver, sender.process, egress::EgressRules{})) {
    net.name_host("shop.example", {kShopIp});
    start_receiver();
  }
  ~SmallWorld() {
    sender.process.kill();
    receiver->process.kill();
  }

  void start_receiver() { receiver = std::make_unique<Incarnation>("receiver", schedule, wall, net, kShopIp); }
  void kill_receiver() {
    receiver->process.kill();
    net.sever(kShopIp);
    receiver.reset();
  }
  // A receiver that answers each request with 200 and the length of its body, after `takes`.
  void serve(milliseconds takes = milliseconds(0)) {
    Process& process = receiver->process;
    receiver->server = *http::serve(*receiver->network, process, process, kShop, {},
                                    [this, &process, takes](HttpRequest request) -> Co<HttpResponse> {
                                      ++handled;
                                      const std::string length = std::to_string(request.body.size());
                                      if (takes.count() > 0) co_await sleep_until(process, process.now() + takes);
                                      co_return HttpResponse{.body = length};
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
  // Closes the idle connections, and runs until nothing is left to happen.
  void run_out() {
    exchange.reset();
    run_for(std::chrono::hours(24));
  }
  void start(std::optional<Outcome>& outcome, SealedRequest sealed = request()) {
    scope.spawn(keep(*exchange, std::move(sealed), outcome));
  }
  Outcome send(SealedRequest sealed = request()) {
    std::optional<Outcome> outcome;
    start(outcome, std::move(sealed));
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
  Incarnation sender;
  std::unique_ptr<Resolver> resolver;
  std::unique_ptr<http::HttpExchange> exchange;
  std::unique_ptr<Incarnation> receiver;
  int handled = 0;
  Scope scope;  // first to go
};

}  // namespace semel::sim::testing
