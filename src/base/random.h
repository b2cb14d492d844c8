// random.h: chance as an argument. Production draws from the operating system, tests and the simulator from a seed.
#pragma once

#include <cstdint>
#include <span>

namespace semel {

class Random {
 public:
  virtual ~Random() = default;
  virtual void fill(std::span<std::uint8_t> bytes) = 0;
  virtual std::uint64_t next() = 0;

  // Uniform in [0, bound); bound must not be 0. The bias is below 2^-32 for bounds under 2^32.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }
  // Uniform in [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
};

// xoshiro256** with a SplitMix64 start (Blackman, Vigna: "Scrambled linear pseudorandom number generators"): fast,
// seedable, not for secrets.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed);
  void fill(std::span<std::uint8_t> bytes) override;
  std::uint64_t next() override;

 private:
  std::uint64_t state_[4];
};

}  // namespace semel
