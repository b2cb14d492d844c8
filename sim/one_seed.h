// one_seed.h: one world, looked at closely: replayed with its trace, or cut down.
#pragma once

#include "sim/run/report.h"
#include "sim/wanted.h"

namespace semel::sim {

// Each prints what it finds and counts it in `totals`. With wanted.seed.
void replay_seed(const Wanted& wanted, Totals& totals);
void shrink_seed(const Wanted& wanted, Totals& totals);

void print(std::string_view text);  // at once

}  // namespace semel::sim
