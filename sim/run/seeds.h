// seeds.h: runs worlds on workers, adds them up and reports what fails.
//
// Invariant:  I-DETERMINISM  a world ends with the same trace hash in whatever process and after whatever other worlds
//             it is run. Each kTwiceEvery-th seed is run twice.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sim/run/report.h"
#include "sim/run/workers.h"

namespace semel::sim {

inline constexpr std::uint64_t kTwiceEvery = 50;
inline constexpr int kFailuresInFull = 5;

struct SeedToRun {
  Options options;
  std::optional<Planted> planted;
  std::string cause_kept;  // not empty: a kept seed, and its cause
};

class Seeds {
 public:
  struct Output {
    Printed printed;
    std::function<void(std::string_view)> print;  // each failure, the first ones in full
    std::function<void()> after_each = [] {};
  };
  Seeds(Output output, Totals& totals) : output_(std::move(output)), totals_(totals) {}

  // Runs what `next` gives until that gives nothing, and counts it in totals.seeds, or in totals.kept.
  void run(Workers& workers, const std::function<std::optional<SeedToRun>()>& next);

 private:
  struct Twice {
    SeedToRun seed;
    std::optional<std::uint64_t> first_hash;
  };

  Job first_time(SeedToRun seed);
  Job again(std::shared_ptr<Twice> twice);
  void compare(Twice& twice, std::uint64_t hash);
  void count(const SeedToRun& seed, const Outcome& outcome);
  void fail(const SeedToRun& seed, const Violation& violation);

  Output output_;
  Totals& totals_;
  int failures_ = 0;
  std::deque<std::shared_ptr<Twice>> to_run_again_;
};

// Seeds from `from` on, the two stores side by side so that both are done at about the same time.
class SeedRange {
 public:
  struct Counts {
    std::uint64_t memory = 0;
    std::uint64_t disk = 0;
  };
  SeedRange(std::uint64_t from, Counts counts) : from_(from), counts_(counts) {}

  std::optional<Options> next();

 private:
  std::uint64_t from_;
  Counts counts_;
  Counts given_;
};

}  // namespace semel::sim
