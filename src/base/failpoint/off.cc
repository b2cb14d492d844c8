// off.cc: what the shipped program does at a failpoint: nothing.
#include "base/failpoint.h"

namespace semel {

void failpoint(const char*) {}

}  // namespace semel
