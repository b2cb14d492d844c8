// result_test.cc: what a caller can do after each fault, and how errors travel.
#include "base/result.h"

#include <gtest/gtest.h>

namespace semel {
namespace {

TEST(Fault, says_what_to_do_next_and_whether_the_effect_may_be_there) {
  const struct {
    Fault fault;
    Recourse recourse;
    bool may_have_happened;
  } rows[] = {
      {Fault::invalid, Recourse::fix_request, false},
      {Fault::not_found, Recourse::fix_request, false},
      {Fault::forbidden, Recourse::fix_request, false},
      {Fault::conflict, Recourse::reread, false},
      {Fault::fenced, Recourse::give_up, false},
      {Fault::busy, Recourse::wait_and_retry, false},
      {Fault::unavailable, Recourse::wait_and_retry, false},
      {Fault::timed_out, Recourse::ask_then_retry, true},
      {Fault::unknown_outcome, Recourse::ask_then_retry, true},
      {Fault::corrupt, Recourse::call_operator, false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(recourse(row.fault), row.recourse) << static_cast<int>(row.fault);
    EXPECT_EQ(may_have_happened(row.fault), row.may_have_happened) << static_cast<int>(row.fault);
  }
}

Result<int> half(int number) {
  if (number % 2 != 0) return fail(Fault::invalid, "odd");
  return number / 2;
}
Result<void> must_be_even(int number) {
  SEMEL_TRY_VOID(half(number));
  return {};
}
Result<std::string> quarter(int number) {
  SEMEL_TRY(once, half(number));
  SEMEL_TRY(twice, half(once));
  return std::to_string(twice);
}

TEST(Try, binds_the_value_or_returns_the_error) {
  EXPECT_EQ(*quarter(12), "3");
  EXPECT_EQ(quarter(6).error().note, "odd");
  EXPECT_TRUE(must_be_even(2));
  EXPECT_EQ(must_be_even(3).error().fault, Fault::invalid);
}

}  // namespace
}  // namespace semel
