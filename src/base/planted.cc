// planted.cc: which planted fault is on.
#include "base/planted.h"

namespace semel {

#ifdef SEMEL_PLANTED

namespace {
std::optional<Planted> on;
}  // namespace

bool planted(Planted fault) { return on == fault; }
void switch_on(std::optional<Planted> fault) { on = fault; }

#endif

}  // namespace semel
