// worlds_test.cc: drawn worlds with all network faults, crashes and hostile receivers; every exchange ends, nothing is
// left over, and the same seed is the same world.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "sim/net/hostile.h"
#include "sim/net/testing/small_world.h"

namespace semel::sim::testing {
namespace {

constexpr int kReceivers = 3;
constexpr int kHostile = 2;
constexpr milliseconds kPhase{120'000};  // with faults, then without

// What must be true of the wires however they break.
struct Checker final : NetObserver {
  std::map<std::pair<ConnectionId, std::uint32_t>, WireRequest> left;
  std::map<std::pair<std::string, std::string>, std::string> body_of;  // by host and webhook-id
  int arrived = 0, replayed = 0, answered = 0;

  void connect_asked(std::string_view, const SocketAddress& to) override { EXPECT_TRUE(egress::is_public(to.ip)); }
  void connection_opened(std::string_view, std::size_t, std::size_t) override {}
  void request_left(std::string_view name, const WireRequest& request) override {
    EXPECT_EQ(name, "sender");
    EXPECT_TRUE(left.emplace(std::pair{request.connection, request.number}, request).second);
    body_of[{std::string(request.header("host")), std::string(request.header("webhook-id"))}] = request.body;
  }
  void request_arrived(std::string_view name, const WireRequest& request) override {
    ++arrived;
    EXPECT_EQ(name, request.header("host"));
    const auto sent = body_of.find({std::string(request.header("host")), std::string(request.header("webhook-id"))});
    ASSERT_NE(sent, body_of.end());
    EXPECT_EQ(request.body, sent->second);
    if (request.replayed) {
      ++replayed;
    } else {
      EXPECT_TRUE(left.contains({request.connection, request.number}));
    }
  }
  void answer_arrived(std::string_view name, const WireAnswer& answer) override {
    EXPECT_EQ(name, "sender");
    answered += answer.complete;
  }
};

Faults::Rates drawn_rates(Draw draw) {
  Faults::Rates rates{};
  for (int i = static_cast<int>(FaultClass::refused); i <= static_cast<int>(FaultClass::dns); ++i)
    if (draw.below(2) == 0)
      rates[static_cast<std::size_t>(i)] = percent(static_cast<std::uint32_t>(draw.between(1, 30)));
  return rates;
}

struct World {
  struct Seen {
    std::uint64_t hash;
    int outcomes = 0, delivered = 0, late_refusals = 0;
  };

  explicit World(std::uint64_t seed)
      : draw(seed, "world"),
        schedule(Draw(seed, "schedule"), static_cast<Order>(draw.below(kOrders)), trace),
        faults(seed, drawn_rates(draw.fork("rates")), {}),
        net(schedule, Draw(seed, "net"), faults, trace, checker) {
    for (int i = 0; i < kReceivers + kHostile; ++i) {
      net.name_host(name(i), {host(i)});
      start_receiver(i);
    }
    start_sender();
  }
  ~World() { kill_sender(); }

  static std::string name(int i) { return "host" + std::to_string(i) + ".example"; }
  static IpAddress host(int i) { return ip("93.184.216." + std::to_string(40 + i)); }

  void start_sender() {
    sender = std::make_unique<Incarnation>("sender", schedule, wall, net, kSenderIp);
    resolver = net.resolver_of(sender->process);
    exchange =
        std::make_unique<http::HttpExchange>(*sender->network, *resolver, sender->process, egress::EgressRules{});
  }
  void kill_sender() {
    sender->process.kill();
    net.sever(kSenderIp);
    scope.drop_all();
    under_way = 0;
    exchange.reset();
    resolver.reset();
    sender.reset();
  }
  void start_receiver(int i) {
    receivers[i] = std::make_unique<Incarnation>(name(i), schedule, wall, net, host(i));
    Process& process = receivers[i]->process;
    if (i >= kReceivers) {
      const auto& program = draw.pick(hostile_programs());
      hostile[i] = std::make_unique<HostileReceiver>(process, *receivers[i]->network, SocketAddress{host(i), 443},
                                                     program, draw.fork("hostile"));
      return;
    }
    receivers[i]->server =
        *http::serve(*receivers[i]->network, process, process, SocketAddress{host(i), 443}, {},
                     [this, &process](HttpRequest request) -> Co<HttpResponse> {
                       if (!healed && draw.below(4) == 0)
                         co_await sleep_until(process, process.now() + milliseconds(draw.skewed(1, 14)));
                       co_return HttpResponse{.body = request.body.substr(0, draw.below(request.body.size() + 1))};
                     });
  }
  void kill_receiver(int i) {
    receivers[i]->process.kill();
    net.sever(host(i));
    hostile.erase(i);
    receivers.erase(i);
  }

  Co<void> send(int to, int event) {
    ++under_way;
    const milliseconds timeout(draw.between(1'000, 15'000));
    SealedRequest sealed{.pool = {.tenant = {1}, .endpoint = {to}, .config = {1}},
                         .url = *egress::parse_url("https://" + name(to) + "/", {}),
                         .headers = "webhook-id: evt_" + std::to_string(event) + "\r\n",
                         .body = std::string(static_cast<std::size_t>(draw.skewed(1, 14)), 'a' + event % 26),
                         .timeout = timeout};
    const MonotonicTime begin = schedule.now();
    const Outcome outcome = co_await exchange->exchange(std::move(sealed));
    --under_way;
    EXPECT_LE(schedule.now() - begin, timeout + milliseconds(1));
    ++seen.outcomes;
    seen.delivered += std::holds_alternative<Answer>(outcome);
    if (!healed || to >= kReceivers) co_return;
    if (const NoAnswer* none = std::get_if<NoAnswer>(&outcome); none && !none->stale_connection) ++seen.late_refusals;
  }

  void run_for(milliseconds time) {
    const MonotonicTime end = schedule.now() + time;
    while (schedule.step(end)) {
    }
  }

  Seen run() {
    int event = 0;
    const MonotonicTime end_of_faults = schedule.now() + kPhase;
    while (schedule.now() < end_of_faults) {
      run_for(milliseconds(draw.skewed(1, 13)));
      for (auto i = draw.below(4); i > 0; --i)
        scope.spawn(send(static_cast<int>(draw.below(kReceivers + kHostile)), ++event));
      if (draw.below(30) == 0) {
        kill_sender();
        start_sender();
      }
      if (draw.below(30) == 0) {
        const int which = static_cast<int>(draw.below(kReceivers + kHostile));
        kill_receiver(which);
        start_receiver(which);
      }
    }
    faults.heal();
    net.heal();
    run_for(kPhase);  // old connections that were cut in silence go
    healed = true;
    for (int i = 0; i < 20; ++i) scope.spawn(send(i % (kReceivers + kHostile), ++event));
    run_for(kPhase);
    EXPECT_EQ(under_way, 0);
    EXPECT_EQ(seen.late_refusals, 0);
    exchange.reset();
    run_for(std::chrono::hours(1));
    EXPECT_EQ(net.connections(), 0u);
    EXPECT_EQ(schedule.waiting(), 0u);
    seen.hash = trace.hash();
    return seen;
  }

  Draw draw;
  Trace trace;
  Schedule schedule;
  Faults faults;
  Checker checker;
  WallClock wall{.at_start = WallTime{1'796'025'951'000}};
  SimNet net;
  std::map<int, std::unique_ptr<Incarnation>> receivers;
  std::map<int, std::unique_ptr<HostileReceiver>> hostile;
  std::unique_ptr<Incarnation> sender;
  std::unique_ptr<Resolver> resolver;
  std::unique_ptr<http::HttpExchange> exchange;
  int under_way = 0;
  bool healed = false;
  Seen seen{};
  Scope scope;
};

TEST(NetWorlds, every_exchange_ends_in_time_and_nothing_is_left) {
  int outcomes = 0, delivered = 0, replayed = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    World world(seed);
    const World::Seen seen = world.run();
    outcomes += seen.outcomes;
    delivered += seen.delivered;
    replayed += world.checker.replayed;
    if (HasFailure()) break;
  }
  EXPECT_GT(delivered, outcomes / 3);
  EXPECT_LT(delivered, outcomes * 9 / 10);
  EXPECT_GT(replayed, 50);
}

TEST(NetWorlds, the_same_seed_is_the_same_world) {
  std::set<std::uint64_t> hashes;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::uint64_t hash = World(seed).run().hash;
    EXPECT_EQ(World(seed).run().hash, hash) << seed;
    hashes.insert(hash);
  }
  EXPECT_EQ(hashes.size(), 20u);
}

}  // namespace
}  // namespace semel::sim::testing
