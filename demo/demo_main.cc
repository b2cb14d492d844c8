// demo_main.cc: the proof as a person can watch it. A server and a receiver run as two processes, the receiver loses
// answers and fails on purpose, both are killed at random moments, and three accounts are compared at the end.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include "base/testing/temp_folder.h"
#include "kill_plan.h"
#include "producers.h"
#include "report.h"
#include "stage.h"
#include "workload.h"

namespace semel::demo {
namespace {

using std::chrono::steady_clock;

constexpr milliseconds kLookEvery{250};
constexpr milliseconds kTurn{10};

struct Options {
  std::size_t events = 2'000;
  std::size_t ordering_keys = 64;
  int kills = 6;
  std::uint64_t seed = 0;
  int deadline_s = 600;
  bool json = false;
  bool keep = false;
  std::string semel;
  std::string payloads;
  std::vector<std::string> faults;
};

std::vector<std::string> default_faults() {
  return {"--drop-ack", "0.1", "--fail", "500:0.15", "--fail", "503:0.005", "--delay", "3ms", "--hang", "0.002"};
}

// Long enough for the kills to fall into the sending and what follows it.
milliseconds sending_time(const Options& options, std::size_t events) {
  return std::max(milliseconds(static_cast<std::int64_t>(events)),
                  milliseconds(options.kills * 1'500) + milliseconds(1'500)) /
         (options.kills == 0 ? 2 : 1);
}

std::int64_t wall_ms() {
  return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// One performance on a stage: what happens between the first event and the moment nothing is open.
class Play {
 public:
  Play(const Options& options, Stage& stage, const std::vector<PlannedEvent>& events, std::string told_file)
      : options_(options),
        stage_(stage),
        duration_(sending_time(options, events.size())),
        plan_(plan_kills(options.kills, duration_, options.seed)),
        producers_(events, {.port = stage.server().port(),
                            .key = stage.server().admin_key(),
                            .seconds = static_cast<double>(duration_.count()) / 1000,
                            .file = std::move(told_file)}) {}

  Result<Performance> run() {
    const auto deadline = start_ + std::chrono::seconds(options_.deadline_s);
    while (!over()) {
      if (const std::optional<std::string> failure = producers_.failure()) return fail(Fault::invalid, *failure);
      if (steady_clock::now() > deadline) {
        progress_.end();
        fmt::print("the deadline of {} s has passed; the accounts are compared as they stand\n", options_.deadline_s);
        break;
      }
      SEMEL_TRY_VOID(kill_when_due());
      SEMEL_TRY_VOID(look_when_due());
      std::this_thread::sleep_for(kTurn);
    }
    progress_.end();
    return close_accounts();
  }

 private:
  bool over() const { return producers_.done() && killed_ == plan_.size() && quiet_; }

  Result<void> kill_when_due() {
    if (killed_ == plan_.size() || steady_clock::now() < start_ + plan_[killed_].at) return {};
    const PlannedKill& kill = plan_[killed_++];
    if (kill.victim == Victim::server)
      stage_.server().kill();
    else
      stage_.listener().kill();
    std::this_thread::sleep_for(kill.away);
    SEMEL_TRY_VOID(kill.victim == Victim::server ? stage_.server().start() : stage_.listener().start());
    up_again_ms_.push_back(wall_ms());
    return {};
  }

  // A process that ended without being killed is a finding, not a reason to wait for the deadline.
  Result<void> look_when_due() {
    if (steady_clock::now() < next_look_) return {};
    next_look_ = steady_clock::now() + kLookEvery;
    if (!stage_.server().running())
      return fail(Fault::unavailable, "semel serve ended by itself:\n" + stage_.server().process().output());
    if (!stage_.listener().running())
      return fail(Fault::unavailable, "semel listen ended by itself:\n" + stage_.listener().process().output());
    const bool sent_all = producers_.done();
    SEMEL_TRY(look, stage_.look());
    progress_.show(producers_.accepted(), look, static_cast<int>(killed_), static_cast<int>(plan_.size()));
    quiet_ = sent_all && look.open == 0;
    return {};
  }

  Result<Performance> close_accounts() {
    const double seconds = std::chrono::duration<double>(steady_clock::now() - start_).count();
    SEMEL_TRY_VOID(stage_.server().stop());
    SEMEL_TRY_VOID(stage_.listener().stop());
    SEMEL_TRY(server, read_server_account(stage_.server().database()));
    SEMEL_TRY(effects, read_ledger(stage_.listener().ledger()));
    const double recovery = longest_recovery(server.settled_at_ms);
    return Performance{.verdict = compare(producers_.told(), stage_.sources(), effects, std::move(server)),
                       .kills = static_cast<int>(killed_),
                       .recovery_s_max = recovery,
                       .seconds = seconds};
  }

  // From a process being up again to the next delivery that was recorded; nothing where none was left to deliver.
  double longest_recovery(const std::vector<std::int64_t>& settled_at_ms) const {
    std::int64_t longest = 0;
    for (const std::int64_t up : up_again_ms_) {
      const auto next = std::ranges::lower_bound(settled_at_ms, up);
      if (next != settled_at_ms.end()) longest = std::max(longest, *next - up);
    }
    return static_cast<double>(longest) / 1000;
  }

  const Options& options_;
  Stage& stage_;
  milliseconds duration_;
  std::vector<PlannedKill> plan_;
  steady_clock::time_point start_ = steady_clock::now();
  steady_clock::time_point next_look_ = start_;
  Producers producers_;
  ProgressLine progress_;
  std::vector<std::int64_t> up_again_ms_;
  std::size_t killed_ = 0;
  bool quiet_ = false;
};

Result<std::vector<PlannedEvent>> workload_of(const Options& options) {
  if (!options.payloads.empty()) return files_of(options.payloads);
  return shipments(options.events, options.ordering_keys, options.seed);
}

Result<bool> run(const Options& options) {
  SEMEL_TRY(events, workload_of(options));
  TempFolder folder(options.keep ? Afterwards::keep : Afterwards::remove);
  if (options.keep) fmt::print("Everything is kept in {}\n", folder.path().string());
  fmt::print("{} events to two endpoints, one per-key and one without order; {} kills; seed {}\n", events.size(),
             options.kills, options.seed);
  fmt::print("The receiver: {}\n", fmt::join(options.faults, " "));
  std::fflush(stdout);
  Stage stage({.semel = options.semel, .folder = folder.path(), .faults = options.faults});
  SEMEL_TRY_VOID(stage.start());
  SEMEL_TRY(performance, Play(options, stage, events, folder.file("told.jsonl")).run());
  print_table(performance);
  if (!performance.verdict.good()) {
    folder.keep();
    fmt::print("Store, inbox, ledger and what the producers were told are in {}\n", folder.path().string());
  }
  if (options.json) fmt::print("{}\n", json_line(performance));
  return performance.verdict.good();
}

}  // namespace
}  // namespace semel::demo

int main(int argc, char** argv) {
  semel::demo::Options options;
  options.faults = semel::demo::default_faults();
  options.seed = static_cast<std::uint64_t>(semel::demo::wall_ms());
  options.semel =
      (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../semel").lexically_normal().string();
  CLI::App app("Sends events through semel serve to semel listen while answers are lost and both are killed.");
  app.add_option("--events", options.events, "How many shipment events to send")->check(CLI::Range(1, 1'000'000));
  app.add_option("--ordering-keys", options.ordering_keys, "Over how many ordering keys")
      ->check(CLI::Range(1, 100'000));
  app.add_option("--kills", options.kills, "How often a process is killed")->check(CLI::Range(0, 1'000));
  app.add_option("--seed", options.seed, "Fixes the events, and when which process is killed");
  app.add_option("--payloads", options.payloads, "Send the *.json files below this folder instead")
      ->check(CLI::ExistingDirectory);
  app.add_option("--deadline", options.deadline_s, "Seconds until the accounts are compared in any case")
      ->check(CLI::Range(1, 86'400));
  app.add_option("--semel", options.semel, "The program to run")->check(CLI::ExistingFile);
  app.add_flag("--keep", options.keep, "Keep the folder with store, inbox and ledger");
  app.add_flag("--json", options.json, "Print one line of JSON last");
  CLI11_PARSE(app, argc, argv);
  const semel::Result<bool> good = semel::demo::run(options);
  if (!good) {
    fmt::print(stderr, "semel-demo: {}\n", good.error().note);
    return 1;
  }
  return *good ? 0 : 1;
}
