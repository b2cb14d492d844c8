// fault_plan_test.cc: reading faults, and how often they happen.
#include "cli/listen/fault_plan.h"

#include <gtest/gtest.h>

namespace semel::cli {
namespace {

TEST(FaultPlan, reads_probabilities_failures_and_delays) {
  EXPECT_EQ(parse_probability("0.25").value_or(-1), 0.25);
  EXPECT_EQ(parse_probability("1").value_or(-1), 1.0);
  EXPECT_EQ(parse_failure("503:0.1")->status, 503);
  EXPECT_EQ(parse_failure("503:0.1")->probability, 0.1);
  EXPECT_EQ(*parse_delay("50ms"), milliseconds(50));
  EXPECT_EQ(*parse_delay("2s"), milliseconds(2'000));
}

TEST(FaultPlan, refuses_what_says_nothing) {
  for (const char* text : {"", "-0.1", "1.1", "nan", "0.5x", "50%"}) EXPECT_FALSE(parse_probability(text)) << text;
  for (const char* text : {"", "503", "503:", ":0.1", "99:0.1", "600:0.1", "5xx:0.1", "503:2"})
    EXPECT_FALSE(parse_failure(text)) << text;
  for (const char* text : {"", "50", "ms", "s", "-1s", "1.5s", "1m"}) EXPECT_FALSE(parse_delay(text)) << text;
}

TEST(Faults, the_first_acks_are_dropped_and_then_none) {
  Faults faults({.drop_ack_first = 2}, 1);
  EXPECT_TRUE(faults.drops_ack());
  EXPECT_TRUE(faults.drops_ack());
  EXPECT_FALSE(faults.drops_ack());
}

TEST(Faults, happen_about_as_often_as_asked_and_the_same_way_from_one_seed) {
  const FaultPlan plan{.failures = {{500, 0.2}, {503, 0.1}}, .hang = 0.1};
  Faults faults(plan, 7);
  Faults again(plan, 7);
  int failed_500 = 0, failed_503 = 0, before = 0, after = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Fate fate = faults.draw();
    EXPECT_EQ(fate.fail_with, again.draw().fail_with);
    failed_500 += fate.fail_with == 500;
    failed_503 += fate.fail_with == 503;
    before += fate.hang == Fate::Hang::before_commit;
    after += fate.hang == Fate::Hang::after_commit;
  }
  EXPECT_NEAR(failed_500, 2'000, 200);
  EXPECT_NEAR(failed_503, 800, 150);  // unless the first failure happened
  EXPECT_NEAR(before, 500, 120);
  EXPECT_NEAR(after, 500, 120);
}

}  // namespace
}  // namespace semel::cli
