// kept_test.cc: the file of kept seeds.
#include "sim/run/kept.h"

#include <gtest/gtest.h>

namespace semel::sim {
namespace {

TEST(KeptSeeds, are_read_with_their_store_commit_and_cause) {
  const auto kept = parse_kept(
      "# a comment\n"
      "\n"
      "memory 17 abc123 a deletion was overwritten  # more\n"
      "  disk\t18446744073709551615 def I-PARK");
  ASSERT_TRUE(kept);
  ASSERT_EQ(kept->size(), 2u);
  EXPECT_EQ((*kept)[0].store, StoreKind::memory);
  EXPECT_EQ((*kept)[0].seed, 17u);
  EXPECT_EQ((*kept)[0].commit, "abc123");
  EXPECT_EQ((*kept)[0].cause, "a deletion was overwritten");
  EXPECT_EQ((*kept)[1].store, StoreKind::disk);
  EXPECT_EQ((*kept)[1].seed, 18446744073709551615u);
}

TEST(KeptSeeds, a_line_that_is_not_understood_is_named) {
  for (const std::string wrong : {"tape 1 abc cause", "memory x abc cause", "memory -1 abc cause", "memory 1 abc",
                                  "memory 18446744073709551616 abc cause", "memory"}) {
    const auto kept = parse_kept("memory 1 abc cause\n" + wrong);
    ASSERT_FALSE(kept) << wrong;
    EXPECT_EQ(kept.error().note, "line 2 is not STORE SEED COMMIT CAUSE");
  }
}

}  // namespace
}  // namespace semel::sim
