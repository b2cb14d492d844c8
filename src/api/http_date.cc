// http_date.cc: calendar of a wall time; milliseconds are cut.
#include "api/http_date.h"

#include <fmt/format.h>

#include <chrono>

namespace semel::api {

std::string format_http_date(WallTime time) {
  using namespace std::chrono;
  constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto since_epoch = floor<seconds>(milliseconds(time.ms));
  const sys_days day(floor<days>(since_epoch));
  const year_month_day date(day);
  const hh_mm_ss clock(since_epoch - day.time_since_epoch());
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays[weekday(day).c_encoding()], unsigned(date.day()),
                     kMonths[unsigned(date.month()) - 1], int(date.year()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

}  // namespace semel::api
