// wanted.cc: the options of semel-sim.
#include "sim/wanted.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <map>

#include "sim/check/body_text.h"

namespace semel::sim {
namespace {

#ifdef SEMEL_PLANTED
constexpr bool kHasPlanted = true;
#else
constexpr bool kHasPlanted = false;
#endif

const std::chrono::milliseconds kUsualCpu = Workers::Limits{}.cpu;

// CLI11 takes "-1" for the largest of unsigned numbers.
CLI::Validator whole_from(std::uint64_t least) {
  return {[least](const std::string& text) {
            const std::optional<std::uint64_t> number = whole_number(text);
            return number && *number >= least ? std::string()
                                              : fmt::format("'{}' is not a whole number from {} on", text, least);
          },
          ""};
}

// An option whose value is one of a few words.
template <class T>
CLI::Option* add_choice(CLI::App& app, const std::string& name, std::optional<T>& into,
                        const std::map<std::string, T>& choices, const std::string& says) {
  return app
      .add_option_function<std::string>(
          name, [&into, choices](const std::string& word) { into = choices.at(word); }, says)
      ->check(CLI::IsMember(&choices));
}

std::string planted_names() {
  std::string names;
  for (const PlantedFault& fault : planted_faults()) names += fmt::format(" {}", fault.name);
  return names;
}

}  // namespace

void add_options(CLI::App& app, Wanted& wanted) {
  static const std::map<std::string, StoreKind> stores{{"memory", StoreKind::memory}, {"disk", StoreKind::disk}};
  static const std::map<std::string, sqlite::Synchronous> levels{{"full", sqlite::Synchronous::full},
                                                                 {"normal", sqlite::Synchronous::normal}};
  app.add_option("--seeds", wanted.seeds, "N on the store in memory, N/10 on SQLite over the simulated disk")
      ->check(whole_from(1));
  app.add_option("--from", wanted.from, "The first seed: 1")->check(whole_from(1));
  add_choice(app, "--store", wanted.store, stores, "memory or disk: only this one");
  app.add_option("--seed", wanted.seed, "This one alone")->check(whole_from(0));
  app.add_flag("--trace", wanted.trace, "With --seed: each line of what happens, and a sequence chart");
  app.add_flag("--shrink", wanted.shrink, "With --seed: cuts a failing world down to a small one");
  app.add_flag("--long", wanted.until_stopped, "Until SIGINT; then a probe that was never hit is a failure too");
  app.add_option("--kept", wanted.kept_file, "Runs the seeds of this file")->check(CLI::ExistingFile);
  app.add_option("--recoveries", wanted.recoveries, "Crashes and opens the SQLite store at least so many times")
      ->check(whole_from(1));
  add_choice(app, "--synchronous", wanted.synchronous, levels, "full or normal: SQLite's, with --recoveries");
  app.add_option("--planted", wanted.planted, "Hunts this planted fault, or all; with --seed: switches it on");
  app.add_option("--planted-seeds", wanted.planted_seeds, "On each store, for each planted fault: 2000")
      ->check(whole_from(1));
  app.add_flag("--probes", wanted.probes, "Lists the probes with hit or never");
  app.add_flag("--json", wanted.json, "The totals as JSON, on the last line");
  app.add_option("--jobs", wanted.limits.workers, "Worker processes; one a core")->check(CLI::Range(1, 256));
  app.add_option_function<std::int64_t>(
         "--cpu-seconds", [&](std::int64_t count) { wanted.limits.cpu = std::chrono::seconds(count); },
         "That one world may use: 60")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--commit", wanted.printed.commit, "Of this tree, for what is printed");
  app.add_option("--command", wanted.printed.command, "That ran this program, for what is printed");
  wanted.overrides.add_to(app);
}

void settle(Wanted& wanted) {
  const bool many = wanted.seeds > 0 || wanted.recoveries > 0 || !wanted.kept_file.empty() || wanted.until_stopped;
  if (!wanted.seed && !many && wanted.planted.empty())
    throw CLI::ValidationError("nothing to run: --seeds, --seed, --kept, --recoveries, --planted or --long");
  if (wanted.seed && many)
    throw CLI::ValidationError("--seed runs one world: without --seeds, --kept, --recoveries and --long");
  if ((wanted.trace || wanted.shrink) && !wanted.seed)
    throw CLI::ValidationError("--trace and --shrink are about one world: --seed");
  if (wanted.synchronous && wanted.recoveries == 0) throw CLI::ValidationError("--synchronous is about --recoveries");
  if (wanted.limits.cpu != kUsualCpu)
    wanted.printed.command += fmt::format(" --cpu-seconds {}", wanted.limits.cpu / std::chrono::seconds(1));
  if (wanted.planted.empty()) return;
  if (!kHasPlanted) throw CLI::ValidationError("no fault is planted in this build (-DSEMEL_PLANTED=ON)");
  if (wanted.planted == "all" && wanted.seed)
    throw CLI::ValidationError("with --seed one planted fault is switched on");
  if (wanted.planted != "all" && !find(wanted.planted))
    throw CLI::ValidationError(fmt::format("'{}' is not a planted fault:{}", wanted.planted, planted_names()));
}

}  // namespace semel::sim
