// wanted.cc: the options of semel-sim.
#include "sim/wanted.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <map>

namespace semel::sim {
namespace {

#ifdef SEMEL_PLANTED
constexpr bool kHasPlanted = true;
#else
constexpr bool kHasPlanted = false;
#endif

}  // namespace

void add_options(CLI::App& app, Wanted& wanted) {
  const std::map<std::string, StoreKind> stores{{"memory", StoreKind::memory}, {"disk", StoreKind::disk}};
  const std::map<std::string, sqlite::Synchronous> levels{{"full", sqlite::Synchronous::full},
                                                          {"normal", sqlite::Synchronous::normal}};
  app.add_option("--seeds", wanted.seeds, "N on the store in memory, N/10 on SQLite over the simulated disk");
  app.add_option("--from", wanted.from, "The first seed")->check(CLI::PositiveNumber);
  app.add_option("--store", wanted.store, "memory or disk: only this one")->transform(CLI::Transformer(stores));
  app.add_option("--seed", wanted.seed, "This one alone");
  app.add_flag("--trace", wanted.trace, "With --seed: each line of what happens, and a sequence chart");
  app.add_flag("--shrink", wanted.shrink, "With --seed: cuts a failing world down to a small one");
  app.add_flag("--long", wanted.until_stopped, "Until SIGINT; then a probe that was never hit is a failure too");
  app.add_option("--kept", wanted.kept_file, "Runs the seeds of this file")->check(CLI::ExistingFile);
  app.add_option("--recoveries", wanted.recoveries, "Crashes and opens the SQLite store so many times");
  app.add_option("--synchronous", wanted.synchronous, "full or normal: SQLite's, in --recoveries")
      ->transform(CLI::Transformer(levels));
  app.add_option("--planted", wanted.planted, "Hunts this planted fault, or all; with --seed: switches it on");
  app.add_option("--planted-seeds", wanted.planted_seeds, "On each store, for each planted fault");
  app.add_flag("--probes", wanted.probes, "Lists the probes with hit or never");
  app.add_flag("--json", wanted.json, "The totals as JSON, on the last line");
  app.add_option("--jobs", wanted.limits.workers, "Worker processes; one a core")->check(CLI::Range(1, 256));
  app.add_option_function<std::int64_t>(
         "--cpu-seconds", [&](std::int64_t count) { wanted.limits.cpu = std::chrono::seconds(count); },
         "That one world may use: 60")
      ->check(CLI::PositiveNumber);
  app.add_option("--commit", wanted.printed.commit, "Of this tree, for what is printed");
  app.add_option("--command", wanted.printed.command, "That ran this program, for what is printed");
  wanted.overrides.add_to(app);
}

void check_together(const Wanted& wanted) {
  if (!wanted.seed && wanted.seeds == 0 && wanted.recoveries == 0 && wanted.kept_file.empty() &&
      wanted.planted.empty() && !wanted.until_stopped)
    throw CLI::ValidationError("nothing to run: --seeds, --seed, --kept, --recoveries, --planted or --long");
  if ((wanted.trace || wanted.shrink) && !wanted.seed)
    throw CLI::ValidationError("--trace and --shrink are about one world: --seed");
  if (wanted.planted.empty()) return;
  if (!kHasPlanted) throw CLI::ValidationError("no fault is planted in this build (-DSEMEL_PLANTED=ON)");
  if (wanted.planted == "all" && wanted.seed)
    throw CLI::ValidationError("with --seed one planted fault is switched on");
  if (wanted.planted != "all" && !find(wanted.planted))
    throw CLI::ValidationError(fmt::format("'{}' is not a planted fault", wanted.planted));
}

}  // namespace semel::sim
