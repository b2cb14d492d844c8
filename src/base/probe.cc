// probe.cc: the list of marks.
#include "base/probe.h"

#include <algorithm>

namespace semel::probe {

std::vector<const Mark*> Mark::all() {
  std::vector<const Mark*> marks;
  for (const Mark* mark = first_; mark; mark = mark->next_) marks.push_back(mark);
  std::ranges::sort(marks, {}, &Mark::name);
  return marks;
}

}  // namespace semel::probe
