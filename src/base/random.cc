// random.cc: the seedable generator.
#include "base/random.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace semel {

SeededRandom::SeededRandom(std::uint64_t seed) {
  for (std::uint64_t& word : state_) {
    seed += 0x9E3779B97F4A7C15ull;
    std::uint64_t mixed = seed;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ull;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBull;
    word = mixed ^ (mixed >> 31);
  }
}

std::uint64_t SeededRandom::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

void SeededRandom::fill(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const std::uint64_t word = next();
    const std::size_t n = std::min(bytes.size(), sizeof word);
    std::memcpy(bytes.data(), &word, n);
    bytes = bytes.subspan(n);
  }
}

}  // namespace semel
