// entropy_test.cc: bytes from the kernel are all filled in and do not repeat.
#include "edge/os/entropy.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace semel {
namespace {

TEST(OsEntropy, numbers_do_not_repeat_over_many_blocks) {
  OsEntropy entropy;
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 5000; ++i) seen.insert(entropy.next());
  EXPECT_EQ(seen.size(), 5000u);
}

TEST(OsEntropy, every_byte_of_a_span_longer_than_a_block_is_filled) {
  OsEntropy entropy;
  std::vector<std::uint8_t> ored(10'000);
  for (int round = 0; round < 16; ++round) {
    std::vector<std::uint8_t> bytes(ored.size());
    entropy.fill(bytes);
    for (std::size_t i = 0; i < bytes.size(); ++i) ored[i] |= bytes[i];
  }
  // A byte is zero in 16 rounds with a chance of 2^-128.
  for (const std::uint8_t byte : ored) ASSERT_NE(byte, 0);
}

TEST(OsEntropy, two_sources_give_different_bytes) {
  OsEntropy a, b;
  EXPECT_NE(a.next(), b.next());
}

}  // namespace
}  // namespace semel
