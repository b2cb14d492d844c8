// kept.h: the file of seeds that failed once and are run for ever after: `STORE SEED COMMIT CAUSE..` on each line,
// where COMMIT is the last one at which it failed; # begins a comment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sim/world/options.h"

namespace semel::sim {

struct KeptSeed {
  StoreKind store;
  std::uint64_t seed;
  std::string commit;
  std::string cause;
};

// Fault::invalid names the first line that is not understood.
Result<std::vector<KeptSeed>> parse_kept(std::string_view text);

}  // namespace semel::sim
