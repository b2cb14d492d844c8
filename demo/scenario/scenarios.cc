// scenarios.cc: the list.
#include "scenario/scenarios.h"

namespace semel::scenario {
namespace {

constexpr Scenario kScenarios[] = {
    {"lost-ack", "the receiver commits, but its answer never arrives", lost_ack},
    {"lost-dedup", "the receiver's dedup record is gone when the event comes again", lost_dedup},
};

}  // namespace

std::span<const Scenario> scenarios() { return kScenarios; }

}  // namespace semel::scenario
