// main.cc: semel-sim: seeds and what came of them. `semel-sim --help`; docs/testing.md tells how to read a failure.
#include <fmt/core.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <thread>

#include "sim/planted/planted.h"
#include "sim/run/arguments.h"
#include "sim/run/crashes.h"
#include "sim/run/hunt.h"
#include "sim/run/kept.h"
#include "sim/run/scratch.h"
#include "sim/run/seeds.h"
#include "sim/shrink/shrink.h"

namespace semel::sim {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr std::size_t kChartLines = 20'000;
constexpr seconds kShrinkFor{60};
constexpr seconds kProgressEvery{10};
constexpr std::uint64_t kMemoryPerDisk = 10;

struct Wanted {
  std::optional<std::uint64_t> seed;
  std::uint64_t seeds = 0;
  std::uint64_t from = 1;
  std::optional<StoreKind> store;
  std::uint64_t recoveries = 0;
  sqlite::Synchronous synchronous = sqlite::Synchronous::full;
  std::string kept_file;
  std::string planted;
  std::uint64_t planted_seeds = 2'000;
  Printed printed;
  int jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::int64_t cpu_seconds = 60;
  bool is_long = false, trace = false, shrink = false, json = false, probes = false;
  Overrides overrides;

  bool asks_for_something() const {
    return seed || seeds > 0 || recoveries > 0 || !kept_file.empty() || !planted.empty() || is_long;
  }
  Workers::Limits limits() const { return {.workers = jobs, .cpu = seconds(cpu_seconds)}; }
};

volatile sig_atomic_t interrupted = 0;

void print(std::string_view text) {
  fmt::print("{}", text);
  std::fflush(stdout);
}

Workers world_workers(const Wanted& wanted) {
  return Workers(wanted.limits(), [](const std::string& order) { return run_ordered_world(order, run_order); });
}

// ---- one seed ----

class OneSeed {
 public:
  OneSeed(const Wanted& wanted, std::optional<Planted> planted) : wanted_(wanted), planted_(planted) {
    options_ = draw_options(*wanted.seed, wanted.store.value_or(StoreKind::memory));
    wanted.overrides.apply_to(options_);
  }

  void run(Totals& totals) {
    Watching watching;
    if (wanted_.trace)
      watching = {.print = [](std::string_view line) { print(fmt::format("{}\n", line)); }, .chart_lines = kChartLines};
    const Outcome outcome = run_in_a_child(order(options_), seconds(wanted_.cpu_seconds), watching, run_order);
    ++totals.seeds;
    totals.add(outcome);
    const WorldResult& result = outcome.result;
    print(result.chart);
    print(fmt::format("seed {} on {}: hash {:016x}, {} steps, {} events, {} faults, {} crashes, {} recoveries\n",
                      options_.seed, name_of(options_.store), result.hash, result.steps, result.events,
                      result.struck.size(), result.crashes, result.recoveries));
    if (result.violation) {
      ++totals.failed;
      print(in_full(failure(options_, *result.violation), wanted_.printed));
    }
  }

  void run_small(Totals& totals) {
    const Clock::time_point end = Clock::now() + kShrinkFor;
    const auto left = [&] { return std::chrono::ceil<seconds>(end - Clock::now()); };
    const Shrunk shrunk = shrink(
        options_, [&](const Options& options) { return tried(options, left()); }, [&] { return left() <= seconds(0); });
    ++totals.seeds;
    if (!shrunk.tried.violation) return print("It does not fail: there is nothing to shrink.\n");
    ++totals.failed;
    print(fmt::format("After {} worlds: {} events, {} faults.\n", shrunk.worlds, shrunk.tried.events,
                      shrunk.tried.struck.size()));
    print(tried_chart(shrunk.options));
    print(in_full(failure(shrunk.options, *shrunk.tried.violation), wanted_.printed));
  }

 private:
  WorldOrder order(const Options& options) const { return {.options = options, .planted = planted_}; }

  Tried tried(const Options& options, seconds cpu) const {
    Outcome outcome = run_in_a_child(order(options), std::max(cpu, seconds(1)), {}, run_order);
    return {.violation = std::move(outcome.result.violation),
            .struck = std::move(outcome.result.struck),
            .events = outcome.result.events};
  }

  std::string tried_chart(const Options& options) const {
    return run_in_a_child(order(options), seconds(wanted_.cpu_seconds), {.chart_lines = kChartLines}, run_order)
        .result.chart;
  }

  Failure failure(const Options& options, const Violation& violation) const {
    return {.options = options, .planted = planted_, .violation = violation, .cause_kept = {}};
  }

  const Wanted& wanted_;
  std::optional<Planted> planted_;
  Options options_;
};

// ---- many ----

void run_kept(const Wanted& wanted, Workers& workers, Seeds& seeds) {
  std::ifstream file(wanted.kept_file);
  if (!file) throw CLI::FileError::Missing(wanted.kept_file);
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
  const std::uint64_t count = wanted.is_long ? std::numeric_limits<std::uint64_t>::max() : wanted.seeds;
  if (wanted.store == StoreKind::disk) return {.memory = 0, .disk = count};
  if (wanted.store == StoreKind::memory) return {.memory = count, .disk = 0};
  return {.memory = count, .disk = count / kMemoryPerDisk};
}

void run_seeds(const Wanted& wanted, Workers& workers, Seeds& seeds) {
  SeedRange range(wanted.from, counts(wanted));
  seeds.run(workers, [&]() -> std::optional<SeedToRun> {
    std::optional<Options> options = interrupted ? std::nullopt : range.next();
    if (!options) return std::nullopt;
    wanted.overrides.apply_to(*options);
    return SeedToRun{.options = *options, .planted = std::nullopt, .cause_kept = {}};
  });
}

void run_recoveries_wanted(const Wanted& wanted, Totals& totals) {
  const RecoveriesDone done =
      recover({.first_seed = wanted.from, .count = wanted.recoveries, .synchronous = wanted.synchronous},
              wanted.limits(), run_recoveries);
  print("Crashes and recoveries of the SQLite store\n");
  print(as_table(done));
  totals.recoveries += done.sum.recoveries;
  totals.crashes += done.sum.recoveries + done.sum.crashes_while_opening;
  if (!done.kept_all_promises()) ++totals.failed;
}

void run_hunt(const Wanted& wanted, Workers& workers, Totals& totals, std::optional<Planted> planted) {
  std::span<const PlantedFault> faults = planted_faults();
  if (planted) faults = faults.subspan(static_cast<std::size_t>(*planted), 1);
  Hunt(faults, {.seeds = wanted.planted_seeds, .print = print}, totals).run(workers);
}

void end_well(Workers& workers, Totals& totals) {
  for (const std::string& wrong : workers.end()) {
    ++totals.failed;
    print(fmt::format("FAILED a worker after its last world: {}\n", wrong));
  }
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

void run_many(const Wanted& wanted, std::optional<Planted> planted, Totals& totals) {
  Workers workers = world_workers(wanted);
  Progress progress(totals);
  Seeds seeds({.printed = wanted.printed,
               .print = print,
               .after_each =
                   [&] {
                     if (wanted.is_long) progress.say_now_and_then();
                   }},
              totals);
  if (!wanted.kept_file.empty()) run_kept(wanted, workers, seeds);
  if (wanted.seeds > 0 || wanted.is_long) run_seeds(wanted, workers, seeds);
  if (!wanted.planted.empty()) run_hunt(wanted, workers, totals, planted);
  end_well(workers, totals);
  if (wanted.recoveries > 0) run_recoveries_wanted(wanted, totals);
  if (!wanted.is_long) return;
  for (const std::string& name : probes_never_hit(totals)) {
    ++totals.failed;
    print(fmt::format("FAILED probe never hit: {}\n", name));
  }
}

// ---- the command line ----

#ifdef SEMEL_PLANTED
constexpr bool kHasPlanted = true;
#else
constexpr bool kHasPlanted = false;
#endif

// Nullopt: none, or all.
std::optional<Planted> planted_wanted(const Wanted& wanted) {
  if (wanted.planted.empty()) return std::nullopt;
  if (!kHasPlanted) throw CLI::ValidationError("no fault is planted in this build (-DSEMEL_PLANTED=ON)");
  if (wanted.planted == "all") return std::nullopt;
  const PlantedFault* fault = find(wanted.planted);
  if (!fault) throw CLI::ValidationError(fmt::format("'{}' is not a planted fault", wanted.planted));
  return fault->fault;
}

void add_options(CLI::App& app, Wanted& wanted) {
  app.add_option("--seeds", wanted.seeds, "N on the store in memory, N/10 on SQLite over the simulated disk");
  app.add_option("--from", wanted.from, "The first seed")->check(CLI::PositiveNumber);
  app.add_option("--store", wanted.store, "Only this one")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, StoreKind>{{"memory", StoreKind::memory}, {"disk", StoreKind::disk}}));
  app.add_option("--seed", wanted.seed, "This one alone");
  app.add_flag("--trace", wanted.trace, "With --seed: each line of what happens, and a sequence chart");
  app.add_flag("--shrink", wanted.shrink, "With --seed: cuts a failing world down to a small one");
  app.add_flag("--long", wanted.is_long, "Until SIGINT; then a probe that was never hit is a failure too");
  app.add_option("--kept", wanted.kept_file, "Runs the seeds of this file");
  app.add_option("--recoveries", wanted.recoveries, "Crashes and opens the SQLite store so many times");
  app.add_option("--synchronous", wanted.synchronous, "Of SQLite, in --recoveries")
      ->transform(CLI::CheckedTransformer(std::map<std::string, sqlite::Synchronous>{
          {"full", sqlite::Synchronous::full}, {"normal", sqlite::Synchronous::normal}}));
  app.add_option("--planted", wanted.planted, "Hunts this planted fault, or all; with --seed: switches it on");
  app.add_option("--planted-seeds", wanted.planted_seeds, "On each store, for each planted fault");
  app.add_flag("--probes", wanted.probes, "Lists the probes with hit or never");
  app.add_flag("--json", wanted.json, "The totals as JSON, on the last line");
  app.add_option("--jobs", wanted.jobs, "Worker processes")->check(CLI::Range(1, 256));
  app.add_option("--cpu-seconds", wanted.cpu_seconds, "That one world may use")->check(CLI::PositiveNumber);
  app.add_option("--commit", wanted.printed.commit, "Of this tree, for what is printed");
  app.add_option("--command", wanted.printed.command, "That ran this program, for what is printed");
  wanted.overrides.add_to(app);
}

int run(const Wanted& wanted) {
  const std::optional<Planted> planted = planted_wanted(wanted);
  signal(SIGINT, [](int) { interrupted = 1; });
  const Scratch scratch;
  Totals totals;
  if (wanted.seed) {
    OneSeed seed(wanted, planted);
    if (wanted.shrink)
      seed.run_small(totals);
    else
      seed.run(totals);
  } else {
    run_many(wanted, planted, totals);
  }
  if (wanted.probes) print(probe_table(totals));
  if (wanted.json)
    print(as_json(totals) + "\n");
  else if (!wanted.seed)
    print(as_table(totals));
  return totals.failed == 0 && totals.planted_caught == totals.planted ? 0 : 1;
}

}  // namespace
}  // namespace semel::sim

int main(int argc, char** argv) {
  semel::sim::Wanted wanted;
  wanted.printed.command = argv[0];
  CLI::App app("Runs the real code through worlds that break");
  semel::sim::add_options(app, wanted);
  try {
    app.parse(argc, argv);
    if (!wanted.asks_for_something())
      throw CLI::ValidationError("nothing to run: --seeds, --seed, --kept, --recoveries, --planted or --long");
    return semel::sim::run(wanted);
  } catch (const CLI::Error& error) {
    return app.exit(error);
  }
}
