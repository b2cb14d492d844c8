// outcome.h: a world to run and what it came to, as bytes between the process that asks and the one that runs it.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/planted.h"
#include "sim/run/child.h"
#include "sim/run/workers.h"
#include "sim/world/world.h"

namespace semel::sim {

// The checker of a world whose process died of it: a broken invariant of the product, a signal, too much CPU.
inline constexpr std::string_view kDied = "I-NO-DEATH";

struct Outcome {
  WorldResult result;
  std::vector<std::string> newly_hit;  // probes, for the first time in that process
};

struct WorldOrder {
  Options options;
  std::optional<Planted> planted;  // the fault to switch on
};
using RunWorld = std::function<WorldResult(const WorldOrder&, const Watching&)>;

// The real thing: run_world() with the fault switched on.
WorldResult run_order(const WorldOrder& order, const Watching& watching);

// One world as a job for workers that do run_ordered_world().
Job world_job(const WorldOrder& order, std::function<void(const Outcome&)> then);
std::string run_ordered_world(std::string_view order, const RunWorld& run_world);

// The same in a child of its own, watched there. When it dies the result has the faults that struck before.
Outcome run_in_a_child(const WorldOrder& order, const ChildTerms& terms, const Watching& watching,
                       const RunWorld& run_world);

}  // namespace semel::sim
