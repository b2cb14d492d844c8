// entry.cc: what libFuzzer calls; SEMEL_FUZZ_TARGET names the target of this program.
#include <cstddef>
#include <cstdint>

#include "fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  semel::fuzz::SEMEL_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
