// crashes.h: spreads the crashes and recoveries of the store (disk/recoveries.h) over worker processes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/disk/recoveries.h"
#include "sim/run/workers.h"

namespace semel::sim {

using RunRecoveries = std::function<RecoveryReport(std::uint64_t seed, std::uint64_t count, sqlite::Synchronous)>;

struct RecoveriesWanted {
  std::uint64_t first_seed = 1;
  std::uint64_t count = 0;
  sqlite::Synchronous synchronous = sqlite::Synchronous::full;
};

struct RecoveriesDone {
  RecoveryReport sum;
  std::vector<std::string> deaths;  // of processes: the seed and the cause

  bool kept_all_promises() const { return sum.breaches() == 0 && deaths.empty(); }
};

// In shares of a few hundred, each with a seed of its own.
RecoveriesDone recover(const RecoveriesWanted& wanted, Workers::Limits limits, const RunRecoveries& run_recoveries);

std::string as_table(const RecoveriesDone& done);

}  // namespace semel::sim
