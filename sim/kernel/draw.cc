// draw.cc: mixing names and numbers into seeds.
#include "sim/kernel/draw.h"

namespace semel::sim {

// The finaliser of SplitMix64.
std::uint64_t mix(std::uint64_t seed, std::uint64_t with) {
  std::uint64_t mixed = seed * 0x9E3779B97F4A7C15ull + with + 0x632BE59BD9B4E019ull;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ull;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBull;
  return mixed ^ (mixed >> 31);
}

std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3ull;
  return mix(hash, bytes.size());
}

}  // namespace semel::sim
