// one_seed.cc: the world in a child, so that it may die.
#include "sim/one_seed.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "sim/run/outcome.h"
#include "sim/shrink/shrink.h"

namespace semel::sim {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kChartLines = 20'000;
constexpr std::chrono::seconds kShrinkFor{60};
constexpr milliseconds kLeastCpu = std::chrono::seconds(1);

WorldOrder order_of(const Wanted& wanted, const Options& options) {
  const PlantedFault* fault = wanted.planted_fault();
  return {.options = options, .planted = fault ? std::optional(fault->fault) : std::nullopt};
}

Options options_of(const Wanted& wanted) {
  Options options = draw_options(*wanted.seed, wanted.store.value_or(StoreKind::memory));
  wanted.overrides.apply_to(options);
  return options;
}

ChildTerms terms_of(const Wanted& wanted, milliseconds cpu) { return {.cpu = cpu, .stopped = wanted.limits.stopped}; }

void print_failure(const WorldOrder& order, const Violation& violation, const Wanted& wanted) {
  print(in_full({.options = order.options, .planted = order.planted, .violation = violation, .cause_kept = {}},
                wanted.printed));
}

}  // namespace

void print(std::string_view text) {
  fmt::print("{}", text);
  std::fflush(stdout);
}

void replay_seed(const Wanted& wanted, Totals& totals) {
  const WorldOrder order = order_of(wanted, options_of(wanted));
  Watching watching;
  if (wanted.trace)
    watching = {.print = [](std::string_view line) { print(fmt::format("{}\n", line)); }, .chart_lines = kChartLines};
  const Outcome outcome = run_in_a_child(order, terms_of(wanted, wanted.limits.cpu), watching, run_order);
  if (wanted.limits.stopped()) return print("Stopped.\n");
  const WorldResult& result = outcome.result;
  ++totals.seeds;
  totals.add(outcome);
  print(result.chart);
  print(fmt::format("seed {} on {}: hash {:016x}, {}, {}, {}, {}, {}\n", order.options.seed,
                    name_of(order.options.store), result.hash, counted(result.steps, "step", "steps"),
                    counted(result.events, "event", "events"), counted(result.struck.size(), "fault", "faults"),
                    counted(result.crashes, "crash", "crashes"), counted(result.recoveries, "recovery", "recoveries")));
  if (!result.violation) return;
  ++totals.failed;
  print_failure(order, *result.violation, wanted);
}

void shrink_seed(const Wanted& wanted, Totals& totals) {
  const Clock::time_point end = Clock::now() + kShrinkFor;
  const auto left = [&] { return std::chrono::ceil<milliseconds>(end - Clock::now()); };
  const auto try_world = [&](const Options& options) {
    const milliseconds cpu = std::clamp(left(), kLeastCpu, std::max(wanted.limits.cpu, kLeastCpu));
    WorldResult result = run_in_a_child(order_of(wanted, options), terms_of(wanted, cpu), {}, run_order).result;
    return Tried{.violation = std::move(result.violation), .struck = std::move(result.struck), .events = result.events};
  };
  const auto is_enough = [&] { return left() <= milliseconds(0) || wanted.limits.stopped(); };
  const Shrunk shrunk = shrink(options_of(wanted), try_world, is_enough);
  if (wanted.limits.stopped()) return print("Stopped.\n");
  ++totals.seeds;
  if (!shrunk.tried.violation) return print("It does not fail: there is nothing to shrink.\n");
  ++totals.failed;
  const WorldOrder order = order_of(wanted, shrunk.options);
  const std::string elsewhere =
      shrunk.options.seed == *wanted.seed ? "" : fmt::format(", at seed {}, which fails alike", shrunk.options.seed);
  print(fmt::format("After {}: {}, {}{}.\n", counted(shrunk.worlds, "world", "worlds"),
                    counted(shrunk.tried.events, "event", "events"),
                    counted(shrunk.tried.struck.size(), "fault", "faults"), elsewhere));
  const Watching watching{.chart_lines = kChartLines};
  print(run_in_a_child(order, terms_of(wanted, wanted.limits.cpu), watching, run_order).result.chart);
  print_failure(order, *shrunk.tried.violation, wanted);
}

}  // namespace semel::sim
