// Receivers that mean harm, against the real client on real sockets, all of them at the same time. Each row: what the
// receiver does, what the attempt is called, and that its connection is gone afterwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/retry/judge.h"
#include "edge/net/net.h"
#include "edge/os/loop.h"
#include "http/client.h"
#include "http/testing/hostile_peers.h"

namespace semel::http {
namespace {

using namespace testing;  // NOLINT: the scripts
using Trouble = NoAnswer::Trouble;
using Body = Answer::Body;

constexpr milliseconds kTimeout{2'000};
const std::string kOk = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
const std::string kChunked = "Transfer-Encoding: chunked\r\n\r\n";
const std::string kChunk = "400\r\n" + std::string(1024, 'x') + "\r\n";

// Nothing is looked up here: the receivers are named by address.
class NoResolver final : public Resolver {
 public:
  void start_resolve(std::string, Cancel&, Done<Result<std::vector<IpAddress>>> done) override {
    done(fail(Fault::not_found, "no names here"));
  }
};

struct Expected {
  std::optional<Trouble> trouble;  // else an answer
  bool request_byte_left = true;
  int status = 0;
  Body body = Body::complete;
  std::optional<FailureClass> failure;  // none: delivered
};

Expected nothing(Trouble trouble, FailureClass failure, bool left = true) {
  return {.trouble = trouble, .request_byte_left = left, .failure = failure};
}
Expected answer(int status, Body body, std::optional<FailureClass> failure) {
  return {.trouble = std::nullopt, .status = status, .body = body, .failure = failure};
}
const Expected kUnknown = nothing(Trouble::timed_out, FailureClass::unknown_outcome);
const Expected kMalformed = nothing(Trouble::malformed_answer, FailureClass::permanent);

struct Hostile {
  std::string name;
  Script script;
  Expected expected;
  std::string scheme = "http";
  std::string body = "{}";
};

std::string head(const std::string& lines) { return "HTTP/1.1 200 OK\r\n" + lines + "\r\n\r\n"; }

std::vector<Hostile> hostile_receivers() {
  using namespace scripts;
  const milliseconds drip(200);
  return {
      {"H1 never reads", never_reads(), kUnknown, "http", std::string(3 * 1024 * 1024 + 512 * 1024, 'x')},
      {"H2 never answers", never_answers(), kUnknown},
      {"H3 TLS handshake stalls", stalls_in_handshake(), nothing(Trouble::timed_out, FailureClass::transient, false),
       "https"},
      {"H5 header drip", drips("HTTP/1.1 200 OK\r\n", "a: b\r\n", drip), kUnknown},
      {"H6 body drip", drips(head("Content-Length: 1000000000"), "x", drip),
       answer(200, Body::incomplete, FailureClass::unknown_outcome)},
      {"H7 infinite chunked body", floods("HTTP/1.1 200 OK\r\n" + kChunked, kChunk), answer(200, Body::over_cap, {})},
      {"H7 infinite chunked body of a failure", floods("HTTP/1.1 500 x\r\n" + kChunked, kChunk),
       answer(500, Body::over_cap, FailureClass::transient)},
      {"H7 infinite trailer", floods("HTTP/1.1 200 OK\r\n" + kChunked + "0\r\n", "a: b\r\n"),
       answer(200, Body::over_cap, {})},
      {"H8 length 2^63-1", answers(head("Content-Length: 9223372036854775807")), kMalformed},
      {"H8 negative length", answers(head("Content-Length: -1")), kMalformed},
      {"H8 two lengths", answers(head("Content-Length: 0\r\nContent-Length: 1")), kMalformed},
      {"H8 list of lengths", answers(head("Content-Length: 0, 0")), kMalformed},
      {"H8 signed length", answers(head("Content-Length: +5") + "hello"), kMalformed},
      {"H10 endless header", floods("HTTP/1.1 200 OK\r\na: ", std::string(64 * 1024, 'x')), kMalformed},
      {"H11 endless headers", floods("HTTP/1.1 200 OK\r\n", "a: b\r\n"), kMalformed},
      {"H11 folded line", answers(head("a: b\r\n c")), kMalformed},
      {"H11 NUL", answers(head(std::string("a: \0", 4))), kMalformed},
      {"H11 no colon", answers(head("abc")), kMalformed},
      {"H11 space before the colon", answers(head("a : b")), kMalformed},
      {"H12 flood of 100", floods("", "HTTP/1.1 100 Continue\r\n\r\n"), kMalformed},
      {"H12 flood of 102", floods("", "HTTP/1.1 102 Processing\r\n\r\n"), kMalformed},
      {"H12 flood of 103", floods("", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"), kMalformed},
      {"H13 unprompted 101", answers("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"), kMalformed},
      {"H7 body until an end that never comes", floods("HTTP/1.1 200 OK\r\n\r\n", std::string(1024, 'x')),
       answer(200, Body::over_cap, {})},
      {"H15 two responses", answers(kOk + kOk), answer(200, Body::complete, {})},
      {"H16 body behind 204", answers("HTTP/1.1 204 No Content\r\n\r\nbody"), answer(204, Body::complete, {})},
      {"H16 body behind 304", answers("HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\nbody"),
       answer(304, Body::complete, FailureClass::permanent)},
      {"H17 HTTP/0.9", answers("<html></html>\r\n"), kMalformed},
      {"H17 HTTP/2 preface", answers("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), kMalformed},
      {"H17 two digits", answers("HTTP/1.1 99\r\n\r\n"), kMalformed},
      {"H17 six digits", answers("HTTP/1.1 200200\r\n\r\n"), kMalformed},
      {"H17 lower case", answers("http/1.1 200\r\n\r\n"), kMalformed},
      {"H18 reset within the body", answers_and_resets(head("Content-Length: 10") + "half"),
       answer(200, Body::incomplete, FailureClass::unknown_outcome)},
  };
}

// In KiB. The address sanitizer keeps freed memory back, so under it only its own bound is left to hold; the thread
// sanitizer has four bytes of its own for each that is used.
#if __has_feature(address_sanitizer)
constexpr long kGrowthMax = 512 * 1024;
#elif __has_feature(thread_sanitizer)
constexpr long kGrowthMax = 5 * 16 * 1024;
#else
constexpr long kGrowthMax = 16 * 1024;
#endif

// In KiB.
long memory_now(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name + ":")) return std::stol(line.substr(name.size() + 1));
  return 0;
}
void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

// Loop, real network, and a client that may go anywhere on loopback.
struct HostileWorld {
  HostileWorld() {
    egress::EgressRules rules;
    rules.allowed = {*egress::parse_allowed_range("127.0.0.0/8:1-65535")};
    exchange = std::make_unique<HttpExchange>(*net, resolver, loop, std::move(rules));
  }

  SealedRequest request(const HostileReceiver& receiver, const std::string& scheme, std::string body) const {
    egress::Url url{.scheme = scheme == "http" ? egress::Scheme::http : egress::Scheme::https,
                    .host = "127.0.0.1",
                    .literal = receiver.at().ip,
                    .port = receiver.at().port,
                    .target = "/"};
    return {.pool = {}, .url = std::move(url), .headers = "", .body = std::move(body), .timeout = kTimeout};
  }

  // Runs the loop until `over`, at most 20 s.
  void run_until(std::function<bool()> over) {
    const MonotonicTime end = loop.now() + milliseconds(20'000);
    scope.spawn(watch(std::move(over), end));
    loop.run();
  }
  Co<void> watch(std::function<bool()> over, MonotonicTime end) {
    while (!over() && loop.now() < end) co_await sleep_until(loop, loop.now() + milliseconds(5));
    EXPECT_TRUE(over());
    loop.stop();
  }
  Outcome send(SealedRequest sealed) {
    std::optional<Outcome> outcome;
    scope.spawn(keep(std::move(sealed), outcome));
    run_until([&] { return outcome.has_value(); });
    return *std::move(outcome);
  }
  Co<void> keep(SealedRequest sealed, std::optional<Outcome>& outcome) {
    outcome = co_await exchange->exchange(std::move(sealed));
  }

  Loop loop;
  std::unique_ptr<Net> net = *make_net(loop, {});
  NoResolver resolver;
  std::unique_ptr<HttpExchange> exchange;
  Scope scope;
};

void expect_outcome(const Outcome& outcome, const Expected& expected) {
  if (expected.trouble) {
    const auto* none = std::get_if<NoAnswer>(&outcome);
    ASSERT_NE(none, nullptr);
    EXPECT_EQ(none->trouble, *expected.trouble) << none->note;
    EXPECT_EQ(none->request_byte_left, expected.request_byte_left);
    EXPECT_FALSE(none->stale_connection);
  } else {
    const auto* answer = std::get_if<Answer>(&outcome);
    ASSERT_NE(answer, nullptr) << std::get<NoAnswer>(outcome).note;
    EXPECT_EQ(answer->status, expected.status);
    EXPECT_EQ(answer->body, expected.body);
    EXPECT_LE(answer->body_excerpt.size(), 1024u);
  }
  SeededRandom random(1);
  const retry::Verdict verdict =
      retry::judge(outcome, {}, {.counts = true, .before = {}, .parked_since = {}}, WallTime{0}, random);
  EXPECT_EQ(verdict.failure, expected.failure);
}

TEST(Hostile, every_receiver_gets_its_name_in_time_and_holds_nothing) {
  HostileWorld world;
  std::vector<Hostile> rows = hostile_receivers();
  std::vector<std::unique_ptr<HostileReceiver>> receivers;
  std::vector<std::optional<Outcome>> outcomes(rows.size());
  for (const Hostile& row : rows)
    receivers.push_back(std::make_unique<HostileReceiver>(*world.net, world.loop, row.script));

  const long before = memory_now("VmRSS");
  forget_peak();
  for (std::size_t i = 0; i < rows.size(); ++i)
    world.scope.spawn(world.keep(world.request(*receivers[i], rows[i].scheme, std::move(rows[i].body)), outcomes[i]));
  world.run_until(
      [&] { return std::ranges::all_of(outcomes, [](const auto& outcome) { return outcome.has_value(); }); });
  EXPECT_LE(memory_now("VmHWM") - before, kGrowthMax);

  for (std::size_t i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE(rows[i].name);
    ASSERT_TRUE(outcomes[i].has_value());
    expect_outcome(*outcomes[i], rows[i].expected);
    EXPECT_EQ(receivers[i]->connections(), 1);
  }
  EXPECT_EQ(world.exchange->idle_connections(), 0u);

  // The slot is free on the other side as well: its connection has ended. The one that never reads cannot see that.
  receivers.front()->stop();
  world.run_until(
      [&] { return std::ranges::all_of(receivers, [](const auto& receiver) { return receiver->open() == 0; }); });
}

TEST(Hostile, a_response_sent_twice_does_not_answer_the_next_request) {
  HostileWorld world;
  HostileReceiver receiver(*world.net, world.loop,
                           scripts::pushes(kOk + kOk, "HTTP/1.1 500 x\r\nContent-Length: 0\r\n\r\n"));
  EXPECT_EQ(std::get<Answer>(world.send(world.request(receiver, "http", "{}"))).status, 200);
  EXPECT_EQ(std::get<Answer>(world.send(world.request(receiver, "http", "{}"))).status, 500);
  EXPECT_EQ(receiver.connections(), 2);
  receiver.stop();
  world.run_until([&] { return receiver.open() == 0; });
}

TEST(Hostile, a_response_pushed_on_an_idle_connection_does_not_answer_the_next_request) {
  HostileWorld world;
  bool pushed = false;
  HostileReceiver receiver(*world.net, world.loop, [&](Receiver& self, int connection) -> Co<void> {
    const std::string later = "HTTP/1.1 500 x\r\nContent-Length: 0\r\n\r\n";
    if (!co_await self.request() || !co_await self.send(connection == 1 ? kOk : later)) co_return;
    if (connection == 1 && co_await self.wait(milliseconds(50))) pushed = co_await self.send(kOk);
    co_await self.hold();
  });
  EXPECT_EQ(std::get<Answer>(world.send(world.request(receiver, "http", "{}"))).status, 200);
  EXPECT_EQ(world.exchange->idle_connections(), 1u);
  world.run_until([&] { return pushed; });
  EXPECT_EQ(std::get<Answer>(world.send(world.request(receiver, "http", "{}"))).status, 500);
  EXPECT_EQ(receiver.connections(), 2);
  receiver.stop();
  world.run_until([&] { return receiver.open() == 0; });
}

}  // namespace
}  // namespace semel::http
