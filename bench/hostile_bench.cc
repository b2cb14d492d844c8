// hostile_bench.cc: what a healthy receiver feels while hostile ones are tried beside it. Prints p50 and p99 of a paced
// stream of deliveries to the healthy one, alone and beside each kind of hostile receiver; asserts nothing.
//
// Receivers run in a process of their own, so that only the client's side of the trouble is measured.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "edge/net/net.h"
#include "edge/os/loop.h"
#include "http/client.h"
#include "http/testing/hostile_peers.h"
#include "port/scope.h"

namespace semel {
namespace {

using namespace http::testing::scripts;  // NOLINT: the table below reads as a list of them
using http::testing::HostileReceiver;
using http::testing::Script;

constexpr milliseconds kAttemptTimeout{1'000};
constexpr milliseconds kPace{5};  // of each of the healthy workers
constexpr int kHealthyWorkers = 4;
const std::string kHead = "HTTP/1.1 200 OK\r\n";
const std::string kChunked = kHead + "Transfer-Encoding: chunked\r\n\r\n";

struct Kind {
  std::string name;
  Script script;
  egress::Scheme scheme = egress::Scheme::http;
};

// The first is the healthy one.
std::vector<Kind> kinds() {
  const milliseconds drip(100);
  return {
      {"alone", answers(kHead + "Content-Length: 0\r\n\r\n")},
      {"H2 never answers", never_answers()},
      {"H3 TLS handshake stalls", stalls_in_handshake(), egress::Scheme::https},
      {"H5 header drip", drips(kHead, "a: b\r\n", drip)},
      {"H6 body drip", drips(kHead + "Content-Length: 1000000000\r\n\r\n", "x", drip)},
      {"H7 infinite chunked body", floods(kChunked, "400\r\n" + std::string(1024, 'x') + "\r\n")},
      {"H7 infinite trailer", floods(kChunked + "0\r\n", "a: b\r\n")},
      {"H10 endless header", floods(kHead + "a: ", std::string(64 * 1024, 'x'))},
      {"H12 flood of 103", floods("", "HTTP/1.1 103 Early Hints\r\n\r\n")},
      {"H15 two responses", answers(kHead + "Content-Length: 0\r\n\r\n" + kHead + "Content-Length: 0\r\n\r\n")},
      {"H18 reset within the body", answers_and_resets(kHead + "Content-Length: 10\r\n\r\nhalf")},
  };
}

// Runs the receivers in a child until it is killed; writes their ports to `out`.
[[noreturn]] void run_receivers(int out) {
  Loop loop;
  const std::unique_ptr<Net> net = *make_net(loop, {});
  std::vector<std::unique_ptr<HostileReceiver>> receivers;
  for (const Kind& kind : kinds()) {
    receivers.push_back(std::make_unique<HostileReceiver>(*net, loop, kind.script));
    const std::uint16_t port = receivers.back()->at().port;
    if (write(out, &port, sizeof port) != sizeof port) _exit(1);
  }
  loop.run();
  _exit(0);
}

class Receivers {
 public:
  Receivers() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    child_ = fork();
    if (child_ == 0) run_receivers(ends[1]);
    close(ends[1]);
    for (std::uint16_t port; ports_.size() < kinds().size() && read(ends[0], &port, sizeof port) == sizeof port;)
      ports_.push_back(port);
    close(ends[0]);
  }
  Receivers(const Receivers&) = delete;
  Receivers& operator=(const Receivers&) = delete;
  ~Receivers() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  bool ready() const { return ports_.size() == kinds().size(); }
  std::uint16_t port(std::size_t kind) const { return ports_[kind]; }

 private:
  pid_t child_ = -1;
  std::vector<std::uint16_t> ports_;
};

struct Measured {
  std::vector<double> milliseconds_each;
  std::size_t hostile_attempts = 0;

  double at(double part) {
    if (milliseconds_each.empty()) return 0;
    std::ranges::sort(milliseconds_each);
    const double last = static_cast<double>(milliseconds_each.size() - 1);
    return milliseconds_each[static_cast<std::size_t>(part * last)];
  }
};

class Bench {
 public:
  Bench(Receivers& receivers, milliseconds time, int beside) : receivers_(receivers), time_(time), beside_(beside) {
    egress::EgressRules rules;
    rules.allowed = {*egress::parse_allowed_range("127.0.0.0/8:1-65535")};
    exchange_ = std::make_unique<http::HttpExchange>(*net_, *resolver_, loop_, std::move(rules));
  }

  Measured beside(std::size_t kind) {
    Measured measured;
    const MonotonicTime end = loop_.now() + time_;
    running_ = kHealthyWorkers + (kind == 0 ? 0 : beside_);
    for (int i = 0; i < kHealthyWorkers; ++i) scope_.spawn(deliver(end, measured));
    for (int i = 0; kind != 0 && i < beside_; ++i) scope_.spawn(try_hostile(kind, end, measured));
    loop_.run();
    return measured;
  }

 private:
  SealedRequest request(std::size_t kind) const {
    const SocketAddress at{.ip = {.family = IpAddress::Family::v4, .bytes = {127, 0, 0, 1}},
                           .port = receivers_.port(kind)};
    return {
        .pool = {.tenant = {1}, .endpoint = {static_cast<std::int64_t>(kind)}, .config = {1}},
        .url = {.scheme = kinds_[kind].scheme, .host = "127.0.0.1", .literal = at.ip, .port = at.port, .target = "/"},
        .headers = "content-type: application/json\r\n",
        .body = "{}",
        .timeout = kAttemptTimeout};
  }
  Co<void> deliver(MonotonicTime end, Measured& measured) {
    while (loop_.now() < end) {
      const MonotonicTime start = loop_.now();
      const Outcome outcome = co_await exchange_->exchange(request(0));
      const Nanoseconds took = loop_.now() - start;
      if (std::holds_alternative<Answer>(outcome))
        measured.milliseconds_each.push_back(static_cast<double>(took.count()) / 1e6);
      co_await sleep_until(loop_, start + kPace);
    }
    end_one();
  }
  Co<void> try_hostile(std::size_t kind, MonotonicTime end, Measured& measured) {
    while (loop_.now() < end) {
      co_await exchange_->exchange(request(kind));
      ++measured.hostile_attempts;
    }
    end_one();
  }
  void end_one() {
    if (--running_ == 0) loop_.stop();
  }

  Receivers& receivers_;
  milliseconds time_;
  int beside_;
  std::vector<Kind> kinds_ = kinds();
  int running_ = 0;
  Loop loop_;
  std::unique_ptr<Net> net_ = *make_net(loop_, {});
  std::unique_ptr<Resolver> resolver_ = *make_resolver(loop_, {});
  std::unique_ptr<http::HttpExchange> exchange_;
  Scope scope_;
};

int run(double seconds, int beside) {
  Receivers receivers;
  if (!receivers.ready()) {
    fmt::print(stderr, "the receivers did not start\n");
    return 1;
  }
  Bench bench(receivers, milliseconds(static_cast<std::int64_t>(seconds * 1000)), beside);
  const std::vector<Kind> all = kinds();
  fmt::print("{:<28} {:>10} {:>10} {:>10} {:>10}\n", "beside", "deliveries", "p50 ms", "p99 ms", "hostile");
  for (std::size_t kind = 0; kind < all.size(); ++kind) {
    Measured measured = bench.beside(kind);
    fmt::print("{:<28} {:>10} {:>10.3f} {:>10.3f} {:>10}\n", all[kind].name, measured.milliseconds_each.size(),
               measured.at(0.5), measured.at(0.99), measured.hostile_attempts);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace semel

int main(int argc, char** argv) {
  CLI::App app("Latency of a healthy receiver, alone and beside hostile ones");
  double seconds = 2;
  int beside = 16;
  app.add_option("--seconds", seconds, "measured per row")->check(CLI::Range(0.1, 600.0))->capture_default_str();
  app.add_option("--beside", beside, "hostile attempts under way at a time")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  std::string unused;
  app.add_option("--semel", unused, "taken as by every benchmark; this one measures the client in its own process");
  CLI11_PARSE(app, argc, argv);
  return semel::run(seconds, beside);
}
