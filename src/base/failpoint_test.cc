// failpoint_test.cc: the failpoints of test programs kill at the named place and hit, and nowhere else.
#include "base/failpoint.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

namespace semel {
namespace {

// Hits the places in a process of its own (failpoints are armed once, at the first hit), then exits with 0.
void run_armed(const char* armed) {
  if (armed) {
    setenv("SEMEL_FP", armed, 1);
  } else {
    unsetenv("SEMEL_FP");
  }
  for (int i = 0; i < 2; ++i) {
    failpoint("enq.after_insert");
    failpoint("enq.after_commit");
  }
  std::exit(0);
}

class FailpointDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(FailpointDeathTest, kills_at_the_named_place_and_hit) {
  for (const char* armed :
       {"enq.after_commit:kill@1", "enq.after_commit:kill@2", "other:kill@1,enq.after_insert:kill@2"})
    EXPECT_EXIT(run_armed(armed), testing::KilledBySignal(SIGKILL), "") << armed;
}

TEST_F(FailpointDeathTest, does_nothing_before_that_hit_or_elsewhere) {
  for (const char* armed : {"enq.after_commit:kill@3", "enq.after:kill@1", ""})
    EXPECT_EXIT(run_armed(armed), testing::ExitedWithCode(0), "") << armed;
  EXPECT_EXIT(run_armed(nullptr), testing::ExitedWithCode(0), "");
}

TEST_F(FailpointDeathTest, a_mistyped_variable_ends_the_process) {
  for (const char* armed : {"enq.after_commit", "enq.after_commit:kill", "enq.after_commit:kill@0", ":kill@1",
                            "enq.after_commit:kill@x", "enq.after_commit:kill@1x", "a:kill@1,,b:kill@1"})
    EXPECT_EXIT(run_armed(armed), testing::ExitedWithCode(2), "SEMEL_FP: cannot read") << armed;
}

}  // namespace
}  // namespace semel
