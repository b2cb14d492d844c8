// world.h: one world from its beginning to its end: a server, receivers good and bad, producers and an operator; first
// faults act and safety is watched, then the core is healed and everything has to settle.
//
// Settles within: kSettlesWithin of virtual time after healing. The operator replays the lowest dead delivery of each
// key
//             until none is dead; then every delivery must be delivered or cancelled.
// Same options, same result, same trace hash, in every process.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/world/options.h"
#include "sim/world/witness.h"

namespace semel::sim {

// The longest delay of the policy `standard` with its jitter, and an hour's Retry-After, and then room for one replay
// after the other along the longest key.
inline constexpr milliseconds kSettlesWithin = std::chrono::hours(100);

struct WorldResult {
  std::optional<Violation> violation;
  std::uint64_t hash = 0;
  std::int64_t simulated_ms = 0;
  std::uint64_t busy_hours = 0;
  std::uint64_t crashes = 0;
  std::uint64_t recoveries = 0;  // starts after a crash that got as far as listening
  std::uint64_t steps = 0;
  std::uint64_t events = 0;
  std::vector<Struck> struck;
  std::string chart;  // when asked for
};

struct Watching {
  std::function<void(std::string_view)> print;  // each line of the trace
  std::size_t chart_lines = 0;
  std::function<void(const Struck&)> struck;  // each fault as it strikes, for who may not live to read the result
};

WorldResult run_world(const Options& options, const Watching& watching = {});

}  // namespace semel::sim
