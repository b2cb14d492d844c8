// listen.cc: semel listen: options, and the parts put together.
#include "cli/listen.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>

#include "cli/exit_code.h"
#include "cli/failure.h"
#include "cli/listen/front.h"
#include "cli/listen/sources.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "core/egress/address.h"
#include "edge/net/net.h"
#include "edge/os/entropy.h"
#include "edge/os/files.h"
#include "edge/os/lanes.h"
#include "edge/os/loop.h"
#include "edge/os/signals.h"
#include "http/server.h"

namespace semel::cli {
namespace {

constexpr milliseconds kDrainMax{10'000};
constexpr milliseconds kLineEvery{500};

struct Options {
  std::string database;
  std::string consumer;
  std::vector<std::string> sources;
  std::string listen = "127.0.0.1:0";
  bool behind_proxy = false;
  std::optional<std::string> ledger;
  std::string drop_ack = "0";
  std::uint64_t drop_ack_first = 0;
  std::vector<std::string> failures;
  std::string delay = "0ms";
  std::string hang = "0";
  std::optional<std::uint64_t> seed;
  std::vector<std::string> refused_types;
  bool keep_data = false;
  Output output = Output::text;
};

Result<SocketAddress> listen_address(const Options& options) {
  const bool port_only = options.listen.find(':') == std::string::npos;
  const std::optional<SocketAddress> address =
      egress::parse_socket_address(port_only ? "127.0.0.1:" + options.listen : options.listen);
  if (!address) return fail(Fault::invalid, "--listen: expected ADDRESS:PORT or PORT");
  if (!egress::is_loopback(address->ip) && !options.behind_proxy)
    return fail(Fault::invalid, "--listen: an address beside loopback needs --behind-proxy, since this speaks no TLS");
  return *address;
}

Result<FaultPlan> fault_plan(const Options& options) {
  FaultPlan plan{.drop_ack_first = options.drop_ack_first};
  for (const std::string& text : options.failures) {
    SEMEL_TRY(failure, parse_failure(text));
    plan.failures.push_back(failure);
  }
  SEMEL_TRY(hang, parse_probability(options.hang));
  SEMEL_TRY(drop_ack, parse_probability(options.drop_ack));
  SEMEL_TRY(delay, parse_delay(options.delay));
  plan.hang = hang;
  plan.drop_ack = drop_ack;
  plan.delay = delay;
  return plan;
}

// Everything that can be wrong with the options or the file is found before anything listens.
struct Prepared {
  SocketAddress at;
  FaultPlan faults;
  std::unique_ptr<Receiver> receiver;
};

Result<Prepared> prepare(const Options& options) {
  SEMEL_TRY(at, listen_address(options));
  SEMEL_TRY(faults, fault_plan(options));
  SEMEL_TRY(sources, read_sources(options.sources));
  SEMEL_TRY(receiver,
            Receiver::open({.database = options.database,
                            .consumer = options.consumer,
                            .sources = std::move(sources),
                            .ledger = options.ledger,
                            .effects = {.refused_types = options.refused_types, .keep_data = options.keep_data}}));
  return Prepared{at, std::move(faults), std::move(receiver)};
}

// The lane's thread ends before what it works on; frames go before what they wait for.
class Listening {
 public:
  Listening(Prepared prepared, std::uint64_t seed, Output output)
      : prepared_(std::move(prepared)),
        output_(output),
        lanes_(loop_),
        front_(loop_, lanes_, *prepared_.receiver, Faults(prepared_.faults, seed), [this] { give_up(); }) {}

  Result<int> run() {
    SEMEL_TRY(net, make_net(loop_, {}));
    net_ = std::move(net);
    SEMEL_TRY(server, http::serve(*net_, loop_, loop_, prepared_.at, {},
                                  [this](HttpRequest request) { return front_.handle(std::move(request)); }));
    server_ = std::move(server);
    const StopSignals signals(loop_, [this](int) { stop(); });
    announce();
    front_.start();
    if (errors_are_watched()) scope_.spawn(show_counts_now_and_then());
    loop_.run();
    return exit_code_;
  }

 private:
  void announce() {
    const std::string url = "http://" + egress::format_socket_address(server_->local()) + "/";
    if (output_ == Output::json)
      fmt::print("{}\n", JsonWriter().object().member("listening", url).end().take());
    else
      fmt::print("listening on {}\n", url);
    std::fflush(stdout);
  }

  void give_up() {
    exit_code_ = report(Error{Fault::corrupt, *prepared_.receiver->broken()});
    loop_.stop();
  }

  // A second signal does not wait for what is under way.
  void stop() {
    if (std::exchange(stopping_, true)) return loop_.stop();
    scope_.spawn(finish());
  }

  Co<void> finish() {
    co_await server_->drain(kDrainMax);
    const Result<Counts> counts = co_await front_.counts();
    progress_.clear();
    if (counts) fmt::print("{}\n", output_ == Output::json ? to_json(*counts) : line_of(*counts));
    std::fflush(stdout);
    loop_.stop();
  }

  Co<void> show_counts_now_and_then() {
    while (!stopping_) {
      const Result<Counts> counts = co_await front_.counts();
      if (counts && !stopping_) progress_.show(line_of(*counts));
      co_await sleep_until(loop_, loop_.now() + kLineEvery);
    }
  }

  static std::string line_of(const Counts& counts) {
    return fmt::format(
        "{} applied, {} duplicates, {} parked, {} rejected, {} late; {} answers dropped, {} failed, {} hung",
        counts.totals.effects, counts.answers.duplicates, counts.totals.inbox.parked_now, counts.totals.inbox.rejected,
        counts.totals.inbox.late, counts.answers.acks_dropped, counts.answers.failed, counts.answers.hung);
  }

  Prepared prepared_;
  Output output_;
  int exit_code_ = exit_ok;
  bool stopping_ = false;
  ProgressLine progress_;
  Loop loop_;
  ThreadLanes lanes_;
  Front front_;
  std::unique_ptr<Net> net_;
  std::unique_ptr<http::Server> server_;
  Scope scope_;
};

int run_listen(const Options& options) {
  ignore_write_signals();
  keep_new_files_private();
  Result<Prepared> prepared = prepare(options);
  if (!prepared) return report(prepared.error());
  const std::uint64_t seed = options.seed ? *options.seed : OsEntropy().next();
  Listening listening(*std::move(prepared), seed, options.output);
  const Result<int> outcome = listening.run();
  return outcome ? *outcome : report(outcome.error());
}

void add_fault_options(CLI::App& command, Options& options) {
  const std::string group = "Faults on request";
  command.add_option("--drop-ack", options.drop_ack, "how often (0 to 1) the connection is cut after the commit")
      ->group(group);
  command.add_option("--drop-ack-first", options.drop_ack_first, "cut it for the first so many requests")->group(group);
  command.add_option("--fail", options.failures, "STATUS:P, answered without a look at the event; may come again")
      ->group(group)
      ->take_all();
  command.add_option("--delay", options.delay, "wait this long (50ms, 2s) before each request")->group(group);
  command.add_option("--hang", options.hang, "how often (0 to 1) no answer comes, before the commit or after it")
      ->group(group);
  command.add_option("--seed", options.seed, "draw the faults from this number")->group(group);
}

}  // namespace

void add_listen(CLI::App& root, int& exit_code) {
  CLI::App* command = root.add_subcommand(
      "listen", "a receiver: verifies events and applies each once, in order, on a file of its own");
  auto options = std::make_shared<Options>();
  command->add_option("--db", options->database, "the file; made where it is missing")->required();
  command->add_option("--consumer", options->consumer, "whose inbox this is")->required();
  command
      ->add_option("--source", options->sources,
                   "NAME=SECRET_FILE; events dedup against others of the same NAME; may come again, also with the same "
                   "NAME while a secret is rotated")
      ->required()
      ->take_all();
  command->add_option("--listen", options->listen, "ADDRESS:PORT or PORT; 0 takes a free one")->capture_default_str();
  command->add_flag("--behind-proxy", options->behind_proxy, "allow an address beside loopback: a proxy speaks TLS");
  command->add_option("--ledger", options->ledger, "append each effect to this file, one JSON object a line, synced");
  command->add_option("--reject-type", options->refused_types, "refuse events of this type; may come again")
      ->take_all();
  command->add_flag("--keep-data", options->keep_data, "keep the bytes of `data` in the effect table");
  add_fault_options(*command, *options);
  add_json_flag(*command, options->output);
  on_run(*command, exit_code, [options] { return run_listen(*options); });
}

}  // namespace semel::cli
