// shrink.h: cuts a world that fails down to a small one that fails in the same way.
//
// A change is kept when the same checker still fails. Few worlds of few events fail at the same seed, so first small
// worlds are tried at other seeds. Then, again while anything helps, without whole classes of faults, single faults,
// kinds of work, with lower numbers, shorter, and with what is ready in its simplest order.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sim/world/world.h"

namespace semel::sim {

struct Tried {
  std::optional<Violation> violation;
  std::vector<Struck> struck;  // up to the violation
  std::uint64_t events = 0;
};
using TryWorld = std::function<Tried(const Options&)>;

struct Shrunk {
  Options options;
  Tried tried;  // with these options; no violation: they never failed
  int worlds = 0;
};

// `time_is_up` is asked before each world.
Shrunk shrink(const Options& failing, const TryWorld& try_world, const std::function<bool()>& time_is_up);

}  // namespace semel::sim
