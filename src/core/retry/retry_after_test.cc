// retry_after_test.cc: the forms RFC 9110 allows, and the ones that counted as something else in other programs.
#include "core/retry/retry_after.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace semel::retry {
namespace {

// 1994-11-06T08:49:00Z, 37 seconds before the example date of RFC 9110 5.6.7.
constexpr WallTime kNow{784'111'740'000};

struct Row {
  std::string value;
  std::optional<int> seconds;
};

TEST(RetryAfter, takes_digits_and_the_three_date_forms_and_nothing_else) {
  const std::vector<Row> rows{
      {"0", 0},
      {"30", 30},
      {"007", 7},
      {"3600", 3600},
      {"3601", 3600},
      {"99999999", 3600},
      {"9223372036854775807", 3600},
      {"18446744073709551617", std::nullopt},
      {"-1", std::nullopt},
      {"+5", std::nullopt},
      {"1.5", std::nullopt},
      {"NaN", std::nullopt},
      {" 5", std::nullopt},
      {"5 ", std::nullopt},
      {"0x10", std::nullopt},
      {"", std::nullopt},
      {"-3", std::nullopt},
      {"Sun, 06 Nov 1994 08:49:37 GMT", 37},
      {"Sunday, 06-Nov-94 08:49:37 GMT", 37},
      {"Sun Nov  6 08:49:37 1994", 37},
      {"Sun, 06 Nov 1994 08:48:00 GMT", 0},
      {"Thu, 01 Jan 1970 00:00:00 GMT", 0},
      {"Sun, 06 Nov 2094 08:49:37 GMT", 3600},
      {"Sun, 06 Nov 1994 08:49:37 UTC", std::nullopt},
      {"Sun, 06 Nov 1994 08:49:37", std::nullopt},
      {"Sun, 31 Feb 1994 08:49:37 GMT", std::nullopt},
      {"Sun, 06 Nov 1994 25:49:37 GMT", std::nullopt},
      {"sun, 06 nov 1994 08:49:37 gmt", std::nullopt},
      {"1994-11-06T08:49:37Z", std::nullopt},
      {std::string(10'000, '1'), std::nullopt},
  };
  for (const Row& row : rows) {
    const std::optional<milliseconds> wait = parse_retry_after(row.value, kNow);
    ASSERT_EQ(wait.has_value(), row.seconds.has_value()) << row.value.substr(0, 40);
    if (wait) {
      EXPECT_EQ(*wait, std::chrono::seconds(*row.seconds)) << row.value;
    }
  }
}

TEST(RetryAfter, a_two_digit_year_is_never_more_than_50_years_ahead) {
  EXPECT_EQ(parse_retry_after("Sunday, 06-Nov-30 08:49:37 GMT", kNow), milliseconds(0));  // 1930
}

}  // namespace
}  // namespace semel::retry
