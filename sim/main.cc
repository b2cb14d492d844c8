// main.cc: semel-sim: seeds and what came of them. `semel-sim --help`; docs/testing.md tells how to read a failure.
#include <fmt/core.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <thread>

#include "sim/one_seed.h"
#include "sim/run/crashes.h"
#include "sim/run/hunt.h"
#include "sim/run/kept.h"
#include "sim/run/scratch.h"
#include "sim/run/seeds.h"
#include "sim/wanted.h"

namespace semel::sim {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr seconds kProgressEvery{10};
constexpr std::uint64_t kMemoryPerDisk = 10;
constexpr int kInterrupted = 130;  // exit code

volatile sig_atomic_t interrupted = 0;

// ---- worlds ----

void run_kept(const Wanted& wanted, Workers& workers, Seeds& seeds) {
  std::ifstream file(wanted.kept_file);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const Result<std::vector<KeptSeed>> kept = parse_kept(text);
  if (!kept) throw CLI::ValidationError(fmt::format("{}: {}", wanted.kept_file, kept.error().note));
  auto at = kept->begin();
  seeds.run(workers, [&]() -> std::optional<SeedToRun> {
    if (at == kept->end()) return std::nullopt;
    const KeptSeed& seed = *at++;
    return SeedToRun{.options = draw_options(seed.seed, seed.store),
                     .planted = std::nullopt,
                     .cause_kept = fmt::format("{} (last failed at {})", seed.cause, seed.commit)};
  });
}

SeedRange::Counts counts(const Wanted& wanted) {
  const std::uint64_t count = wanted.until_stopped ? std::numeric_limits<std::uint64_t>::max() : wanted.seeds;
  if (wanted.store == StoreKind::disk) return {.memory = 0, .disk = count};
  if (wanted.store == StoreKind::memory) return {.memory = count, .disk = 0};
  return {.memory = count, .disk = count / kMemoryPerDisk};
}

void run_seeds(const Wanted& wanted, Workers& workers, Seeds& seeds) {
  SeedRange range(wanted.from, counts(wanted));
  seeds.run(workers, [&]() -> std::optional<SeedToRun> {
    std::optional<Options> options = range.next();
    if (!options) return std::nullopt;
    wanted.overrides.apply_to(*options);
    return SeedToRun{.options = *options, .planted = std::nullopt, .cause_kept = {}};
  });
}

void run_hunt(const Wanted& wanted, Workers& workers, Totals& totals) {
  std::span<const PlantedFault> faults = planted_faults();
  if (const PlantedFault* fault = wanted.planted_fault()) faults = {fault, 1};
  Hunt(faults, {.seeds = wanted.planted_seeds, .print = print}, totals).run(workers);
}

class Progress {
 public:
  explicit Progress(const Totals& totals) : totals_(totals) {}
  void say_now_and_then() {
    if (Clock::now() < next_) return;
    next_ = Clock::now() + kProgressEvery;
    const auto since = std::chrono::duration_cast<seconds>(Clock::now() - begin_).count();
    fmt::print(stderr, "{} s: {} seeds, {} failed, {} busy hours, {} probes hit\n", since, totals_.seeds,
               totals_.failed, totals_.busy_hours, totals_.probes_hit.size());
  }

 private:
  const Totals& totals_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point next_ = begin_ + kProgressEvery;
};

void run_worlds(const Wanted& wanted, Totals& totals) {
  Workers workers(wanted.limits, [](const std::string& order) { return run_ordered_world(order, run_order); });
  Progress progress(totals);
  Seeds::Output output{.printed = wanted.printed, .print = print};
  if (wanted.until_stopped) output.after_each = [&] { progress.say_now_and_then(); };
  Seeds seeds(std::move(output), totals);
  if (!wanted.kept_file.empty()) run_kept(wanted, workers, seeds);
  if (wanted.seeds > 0 || wanted.until_stopped) run_seeds(wanted, workers, seeds);
  if (!wanted.planted.empty()) run_hunt(wanted, workers, totals);
  for (const std::string& wrong : workers.end()) {
    ++totals.failed;
    print(fmt::format("FAILED a worker after its last world: {}\n", wrong));
  }
}

// ---- and beside them ----

void run_recoveries_on_workers(const Wanted& wanted, Totals& totals) {
  const RecoveriesDone done = recover({.first_seed = wanted.from,
                                       .count = wanted.recoveries,
                                       .synchronous = wanted.synchronous.value_or(sqlite::Synchronous::full)},
                                      wanted.limits, run_recoveries);
  print("Crashes and recoveries of the SQLite store\n");
  print(as_table(done));
  totals.recoveries += done.sum.recoveries;
  totals.crashes += done.sum.recoveries + done.sum.crashes_while_opening;
  if (!done.kept_all_promises()) ++totals.failed;
}

void demand_all_probes(Totals& totals) {
  for (const std::string& name : probes_never_hit(totals)) {
    ++totals.failed;
    print(fmt::format("FAILED probe never hit: {}\n", name));
  }
}

void run_many(const Wanted& wanted, Totals& totals) {
  run_worlds(wanted, totals);
  if (wanted.recoveries > 0) run_recoveries_on_workers(wanted, totals);
  if (wanted.until_stopped) demand_all_probes(totals);
}

int run(const Wanted& wanted) {
  const Scratch scratch;
  Totals totals;
  if (wanted.seed && wanted.shrink)
    shrink_seed(wanted, totals);
  else if (wanted.seed)
    replay_seed(wanted, totals);
  else
    run_many(wanted, totals);
  if (wanted.probes) print(probe_table(totals));
  if (wanted.json)
    print(as_json(totals) + "\n");
  else if (!wanted.seed)
    print(as_table(totals));
  if (interrupted && (wanted.seed || !wanted.until_stopped)) return kInterrupted;
  return totals.failed == 0 && totals.planted_caught == totals.planted ? 0 : 1;
}

}  // namespace
}  // namespace semel::sim

int main(int argc, char** argv) {
  semel::sim::Wanted wanted;
  wanted.printed.command = argv[0];
  wanted.limits.workers = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  wanted.limits.stopped = [] { return semel::sim::interrupted != 0; };
  for (const int wanted_end : {SIGINT, SIGTERM}) signal(wanted_end, [](int) { semel::sim::interrupted = 1; });
  CLI::App app("Runs the real code through worlds that break");
  semel::sim::add_options(app, wanted);
  try {
    app.parse(argc, argv);
    semel::sim::settle(wanted);
    return semel::sim::run(wanted);
  } catch (const CLI::Error& error) {
    return app.exit(error);
  }
}
