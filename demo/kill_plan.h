// kill_plan.h: when which process is killed, and for how long it stays away. The same seed gives the same plan.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "base/time.h"

namespace semel::demo {

enum class Victim { server, receiver };

struct PlannedKill {
  milliseconds at;  // after the start
  Victim victim;
  milliseconds away;  // before it is started again
};

// Spread over `duration`, each at a random moment of its share; with two or more, both processes have a turn.
inline std::vector<PlannedKill> plan_kills(int kills, milliseconds duration, std::uint64_t seed) {
  SeededRandom random(seed ^ 0x6b696c6c);
  std::vector<PlannedKill> plan;
  for (int n = 0; n < kills; ++n) {
    const milliseconds share = duration / kills;
    const milliseconds at = share * n + milliseconds(random.between(share.count() / 8, share.count()));
    const Victim victim = random.below(2) == 0 ? Victim::server : Victim::receiver;
    plan.push_back({at, victim, milliseconds(random.between(0, 300))});
  }
  const auto same = [&](const PlannedKill& kill) { return kill.victim == plan.front().victim; };
  if (kills >= 2 && std::ranges::all_of(plan, same))
    plan.back().victim = plan.front().victim == Victim::server ? Victim::receiver : Victim::server;
  return plan;
}

}  // namespace semel::demo
