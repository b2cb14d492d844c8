// pipeline_main.cc: semel against the bare floor, alternating in the same minutes on the same machine.
//
// ratio: the smaller of the throughput ratio and the inverse ratio of CPU per delivery, the median of all rounds.
// Machines drift, so only figures of one run are compared.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "base/json.h"
#include "pipeline/measure.h"

namespace semel::bench {
namespace {

constexpr double kFloorPerSecondMin = 15'000;
constexpr double kFloorCpuMax = 50;

struct Options {
  Programs programs;
  double seconds = 6;
  int rounds = 5;
  bool floor_only = false;
  bool json = false;
};

void print(const char* name, const Run& run) {
  fmt::print("{:<6} {:>9.0f} {:>9.0f} {:>8.1f}   {:>7.0f} {:>8.0f} {:>8.0f}   {:>7.0f} {:>8.0f} {:>8.0f}{}\n", name,
             run.accepted_per_s, run.recorded_per_s, run.cpu_us_per_delivery, run.answer.p50, run.answer.p99,
             run.answer.p999, run.arrival.p50, run.arrival.p99, run.arrival.p999,
             run.refused ? fmt::format("   {} refused", run.refused) : "");
  std::fflush(stdout);
}

double ratio_of(const Run& semel, const Run& floor) {
  return std::min(semel.recorded_per_s / floor.recorded_per_s, floor.cpu_us_per_delivery / semel.cpu_us_per_delivery);
}

template <class T>
T median(std::vector<T> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// The run whose throughput is the median one.
Run median_run(std::vector<Run> runs) {
  std::ranges::sort(runs, {}, &Run::recorded_per_s);
  return runs[runs.size() / 2];
}

// A floor that is too slow measures the machine, not semel: say so.
void explain_slow_floor(const Run& floor) {
  if (floor.recorded_per_s >= kFloorPerSecondMin && floor.cpu_us_per_delivery <= kFloorCpuMax) return;
  fmt::print(
      "\nThe floor itself made {:.0f} deliveries/s at {:.1f} us each (expected on two free cores: over {:.0f}/s, under "
      "{:.0f} us).\n"
      "Load generator, sink, sender and SQLite's fsync share this machine's cores and disk with whatever else runs on "
      "it;\n"
      "the ratio compares runs under the same conditions, but repeat it on an idle machine before relying on it.\n",
      floor.recorded_per_s, floor.cpu_us_per_delivery, kFloorPerSecondMin, kFloorCpuMax);
}

void write_run(JsonWriter& json, const char* name, const Run& run) {
  json.key(name).object();
  json.member("accepted_per_s", run.accepted_per_s).member("recorded_per_s", run.recorded_per_s);
  json.member("cpu_us_per_delivery", run.cpu_us_per_delivery).member("deliveries", run.deliveries);
  json.member("answer_p50_us", run.answer.p50)
      .member("answer_p99_us", run.answer.p99)
      .member("answer_p999_us", run.answer.p999);
  json.member("arrival_p50_us", run.arrival.p50)
      .member("arrival_p99_us", run.arrival.p99)
      .member("arrival_p999_us", run.arrival.p999);
  json.end();
}

Result<void> compare(const Options& options) {
  std::vector<Run> semel_runs;
  std::vector<Run> floor_runs;
  std::vector<double> ratios;
  fmt::print(
      "{} rounds of {} s: 64 producers, events of 1 KiB, one endpoint, 64 in flight, SQLite with synchronous=FULL\n\n",
      options.rounds, options.seconds);
  fmt::print("                                CPU us/      request to 202 (us)          202 to arrival (us)\n");
  fmt::print("       accepted/s  recorded/s delivery      p50      p99    p99.9      p50      p99    p99.9\n");
  for (int round = 0; round < options.rounds; ++round) {
    SEMEL_TRY(floor, measure_floor(options.programs, options.seconds));
    print("floor", floor);
    floor_runs.push_back(floor);
    if (options.floor_only) continue;
    SEMEL_TRY(semel, measure_semel(options.programs, options.seconds));
    print("semel", semel);
    semel_runs.push_back(semel);
    ratios.push_back(ratio_of(semel, floor));
    fmt::print("       ratio {:.3f} (throughput {:.3f}, CPU {:.3f})\n", ratios.back(),
               semel.recorded_per_s / floor.recorded_per_s, floor.cpu_us_per_delivery / semel.cpu_us_per_delivery);
  }
  explain_slow_floor(median_run(floor_runs));
  if (options.floor_only) return {};
  fmt::print("\nratio {:.3f} (median of {})\n", median(ratios), ratios.size());
  if (!options.json) return {};
  JsonWriter json;
  json.object();
  write_run(json, "semel", median_run(semel_runs));
  write_run(json, "floor", median_run(floor_runs));
  json.member("ratio", median(ratios)).end();
  fmt::print("{}\n", json.take());
  return {};
}

}  // namespace
}  // namespace semel::bench

int main(int argc, char** argv) {
  semel::bench::Options options;
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  options.programs = {.semel = (here / "../semel").lexically_normal().string(),
                      .floor = (here / "semel-bench-floor").string(),
                      .sink = (here / "semel-bench-sink").string()};
  CLI::App app("Measures semel serve against the bare floor, side by side.");
  app.add_option("--seconds", options.seconds, "How long the load runs in each run")->check(CLI::Range(0.5, 60.0));
  app.add_option("--rounds", options.rounds, "Alternating runs of each")->check(CLI::Range(1, 50));
  app.add_option("--semel", options.programs.semel, "The program to measure");
  app.add_flag("--floor-only", options.floor_only, "Measure the floor alone");
  app.add_flag("--json", options.json, "Print one line of JSON last");
  CLI11_PARSE(app, argc, argv);
  if (const semel::Result<void> done = semel::bench::compare(options); !done) {
    fmt::print(stderr, "semel-bench-pipeline: {}\n", done.error().note);
    return 1;
  }
}
