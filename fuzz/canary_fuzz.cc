// canary_fuzz.cc: the target that must fail. A run that does not find this fault would find no other.
#include "fuzz/fuzz.h"

namespace semel::fuzz {

void canary(std::string_view bytes) { SEMEL_CHECK(!bytes.starts_with("canary")); }

}  // namespace semel::fuzz
