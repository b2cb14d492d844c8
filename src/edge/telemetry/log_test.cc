// log_test.cc: what a log line may hold.
#include "edge/telemetry/log.h"

#include <gtest/gtest.h>

namespace semel {
namespace {

TEST(Log, plain_values_stand_as_they_are) {
  EXPECT_EQ(log_line("attempt.settled", {{"endpoint", "ep_1"}, {"status", "503"}}),
            "attempt.settled endpoint=ep_1 status=503");
}

TEST(Log, values_that_could_break_a_line_are_quoted_and_escaped) {
  EXPECT_EQ(log_line("e", {{"a", "two words"}, {"b", ""}}), "e a=\"two words\" b=\"\"");
  EXPECT_EQ(log_line("e", {{"a", "x\ny=1"}}), "e a=\"x\\x0ay=1\"");
  EXPECT_EQ(log_line("e", {{"a", "say \"hi\""}}), "e a=\"say \\\"hi\\\"\"");
}

}  // namespace
}  // namespace semel
