// report.h: what a run adds up to and what failed in it, for people and as one line of JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/planted.h"
#include "sim/run/outcome.h"

namespace semel::sim {

struct Totals {
  std::uint64_t seeds = 0;
  std::uint64_t kept = 0;  // worlds of seeds that failed once; not in `seeds`
  std::uint64_t failed = 0;
  std::int64_t simulated_ms = 0;
  std::uint64_t busy_hours = 0;
  std::uint64_t crashes = 0;
  std::uint64_t recoveries = 0;
  std::set<std::string> probes_hit;
  std::uint64_t planted = 0;
  std::uint64_t planted_caught = 0;

  void add(const Outcome& outcome);  // everything but seeds, kept and failed
};
std::string as_json(const Totals& totals);
// Leaves out what the run was not about.
std::string as_table(const Totals& totals);

// Every probe of this program with `hit` or `never`, one a line.
std::string probe_table(const Totals& totals);
std::vector<std::string> probes_never_hit(const Totals& totals);

struct Failure {
  Options options;
  std::optional<Planted> planted;
  Violation violation;
  std::string cause_kept;  // of a kept seed, as its line says
};

// "1 fault", "2 faults".
std::string counted(std::uint64_t number, std::string_view one, std::string_view more);

// How to name this program and this tree in what is printed.
struct Printed {
  std::string command = "semel-sim";
  std::string commit = "unknown";
};
std::string in_full(const Failure& failure, const Printed& printed);
std::string in_one_line(const Failure& failure, const Printed& printed);
std::string replaying(const Options& options, std::optional<Planted> planted, const Printed& printed);

}  // namespace semel::sim
