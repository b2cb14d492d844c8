// main.cc: semel-sim.
#include <fmt/core.h>

#include <chrono>
#include <cstdlib>

#include "sim/world/world.h"

int main(int argc, char** argv) {
  using namespace semel::sim;
  const std::uint64_t from = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const bool disk = argc > 3 && std::string_view(argv[3]) == "disk";
  const bool trace = argc > 4;
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t failed = 0;
  for (std::uint64_t seed = from; seed < from + count; ++seed) {
    Options options = draw_options(seed, disk ? StoreKind::disk : StoreKind::memory);
    Watching watching;
    if (trace) watching.print = [](std::string_view line) { fmt::print("{}\n", line); };
    if (trace) watching.chart_lines = 400;
    const auto b = std::chrono::steady_clock::now();
    const WorldResult result = run_world(options, watching);
    const auto ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - b).count();
    if (trace) fmt::print("{}", result.chart);
    if (result.violation || trace || count < 20)
      fmt::print("{}\n  hash {:016x} steps {} events {} sim {}s busy {}h crashes {} recoveries {} {:.1f} ms\n", describe(options), result.hash,
                 result.steps, result.events, result.simulated_ms / 1000, result.busy_hours, result.crashes, result.recoveries, ms);
    if (result.violation) {
      ++failed;
      fmt::print("  {}: {}\n", result.violation->checker, result.violation->text);
    }
  }
  const auto s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  fmt::print("{} seeds, {} failed, {:.1f} s, {:.0f} a minute\n", count, failed, s, double(count) * 60 / s);
}
