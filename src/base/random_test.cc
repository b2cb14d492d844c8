// random_test.cc: the seeded generator gives the same on every machine, and its ranges are what they say.
#include "base/random.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace semel {
namespace {

TEST(SeededRandom, follows_the_published_algorithm) {
  SeededRandom random(0);  // SplitMix64(0) starts with e220a8397b1dcdaf, 6e789e6aa1b965f4, 06c45d188009454f, ..
  EXPECT_EQ(random.next(), 0x99EC5F36CB75F2B4ull);
  EXPECT_EQ(random.next(), 0xBF6E1F784956452Aull);
}

TEST(SeededRandom, the_seed_decides_everything) {
  SeededRandom a(42);
  SeededRandom b(42);
  SeededRandom other(43);
  EXPECT_EQ(a.next(), b.next());
  std::array<std::uint8_t, 13> bytes_a{};
  std::array<std::uint8_t, 13> bytes_b{};
  a.fill(bytes_a);
  b.fill(bytes_b);
  EXPECT_EQ(bytes_a, bytes_b);
  other.next();
  other.fill(bytes_b);
  EXPECT_NE(bytes_a, bytes_b);
}

TEST(Random, below_stays_below_and_reaches_every_value) {
  SeededRandom random(3);
  std::array<int, 6> seen{};
  for (int i = 0; i < 6000; ++i) ++seen.at(random.below(6));
  for (const int count : seen) EXPECT_GT(count, 800);
  EXPECT_EQ(random.below(1), 0u);
}

TEST(Random, between_includes_both_ends) {
  SeededRandom random(3);
  bool low = false;
  bool high = false;
  for (int i = 0; i < 200; ++i) {
    const std::int64_t value = random.between(-1, 1);
    ASSERT_GE(value, -1);
    ASSERT_LE(value, 1);
    low |= value == -1;
    high |= value == 1;
  }
  EXPECT_TRUE(low && high);
  EXPECT_EQ(random.between(5, 5), 5);
}

}  // namespace
}  // namespace semel
