#include "edge/sqlite/checkpoint_rule.h"

#include <gtest/gtest.h>

#include <string>

namespace semel::sqlite {
namespace {

// b: a commit began; w: it returned and wrote; n: it returned without a frame; F: a checkpoint returned having copied
// everything; p: one returned having copied a part.
bool may_start_after(const std::string& happened) {
  CheckpointRule rule;
  for (const char c : happened) {
    if (c == 'b') rule.commit_began();
    if (c == 'w') rule.commit_returned(true);
    if (c == 'n') rule.commit_returned(false);
    if (c == 'F') rule.checkpoint_returned(true);
    if (c == 'p') rule.checkpoint_returned(false);
  }
  return rule.may_start();
}

TEST(CheckpointRule, a_checkpoint_waits_for_a_whole_commit_after_the_last_full_copy) {
  struct Case {
    const char* happened;
    bool may_start;
  };
  for (const Case& c : {
           Case{"", false},   // opening the store copied everything
           Case{"b", false},  // still under way
           Case{"bw", true},
           Case{"bn", false},  // nothing in the log
           Case{"bnbw", true},
           Case{"bwF", false},
           Case{"bwp", true},     // frames are left to copy
           Case{"bwbFw", false},  // began before the copy was over: may have written before it
           Case{"bwbFwbw", true},
           Case{"bwFbnbw", true},
           Case{"bwFb", false},
           Case{"bwFbwF", false},
       })
    EXPECT_EQ(may_start_after(c.happened), c.may_start) << c.happened;
}

}  // namespace
}  // namespace semel::sqlite
