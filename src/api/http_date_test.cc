// http_date_test.cc: IMF-fixdate.
#include "api/http_date.h"

#include <gtest/gtest.h>

namespace semel::api {
namespace {

TEST(HttpDate, has_the_preferred_form) {
  //= RFC 9110 5.6.7: IMF-fixdate
  EXPECT_EQ(format_http_date({784'111'777'000}), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(format_http_date({1'709'164'799'999}), "Wed, 28 Feb 2024 23:59:59 GMT");
  EXPECT_EQ(format_http_date({1'709'164'800'000}), "Thu, 29 Feb 2024 00:00:00 GMT");
}

}  // namespace
}  // namespace semel::api
