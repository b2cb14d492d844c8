// draw.h: all chance of a world, from one seed. Each use forks a stream of its own by name, so that one more draw in
// one place does not change what all others draw; probabilities are whole parts of a million, the same on every
// machine.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/random.h"

namespace semel::sim {

struct PerMillion {
  std::uint32_t parts = 0;
  friend constexpr auto operator<=>(PerMillion, PerMillion) = default;
};
constexpr PerMillion percent(std::uint32_t whole) { return {whole * 10'000}; }

std::uint64_t mix(std::uint64_t seed, std::uint64_t with);
std::uint64_t hash_of(std::string_view bytes);  // FNV-1a and a final mix

class Draw final : public Random {
 public:
  Draw(std::uint64_t seed, std::string_view stream) : Draw(mix(seed, hash_of(stream))) {}

  // A stream of its own; drawing from it does not change this one.
  Draw fork(std::string_view stream) const { return Draw(mix(seed_, hash_of(stream))); }
  Draw fork(std::string_view stream, std::uint64_t number) const {
    return Draw(mix(mix(seed_, hash_of(stream)), number));
  }
  std::uint64_t seed() const { return seed_; }

  void fill(std::span<std::uint8_t> bytes) override { random_.fill(bytes); }
  std::uint64_t next() override { return random_.next(); }

  bool happens(PerMillion chance) { return below(1'000'000) < chance.parts; }
  template <class T>
  const T& pick(std::span<const T> from) {
    return from[below(from.size())];
  }
  // Mostly small, sometimes large: uniform in [low, low * 2^k] with k uniform in [0, doublings].
  std::int64_t skewed(std::int64_t low, int doublings) {
    return between(low, low << below(static_cast<std::uint64_t>(doublings) + 1));
  }

 private:
  explicit Draw(std::uint64_t seed) : seed_(seed), random_(seed) {}

  std::uint64_t seed_;
  SeededRandom random_;
};

}  // namespace semel::sim
