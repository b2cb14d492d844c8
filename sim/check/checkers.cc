// checkers.cc: all checkers of a world.
#include "sim/check/checker.h"

namespace semel::sim {

std::vector<std::unique_ptr<Checker>> make_checkers(const Known&, const Checker::Violated&) { return {}; }

}  // namespace semel::sim
