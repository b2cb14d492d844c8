// check.cc: how a broken invariant ends the process: one line on standard error, then abort.
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace semel {

void check_failed(const char* expression, const char* file, int line) noexcept {
  std::fprintf(stderr, "semel: broken invariant: %s (%s:%d)\n", expression, file, line);
  std::abort();
}

}  // namespace semel
