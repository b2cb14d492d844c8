// retry_after.cc: reads Retry-After.
#include "core/retry/retry_after.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>

namespace semel::retry {
namespace {

constexpr std::size_t kDigitsMax = 19;
constexpr std::array<std::string_view, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 7> kLongDays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                    "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// Takes a date apart from the left; any mismatch makes it fail for good.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  void literal(std::string_view expected) {
    if (rest_.starts_with(expected))
      rest_.remove_prefix(expected.size());
    else
      good_ = false;
  }
  int number(std::size_t digits) {
    int value = 0;
    if (rest_.size() < digits) good_ = false;
    for (std::size_t i = 0; good_ && i < digits; ++i) {
      if (rest_[i] < '0' || rest_[i] > '9') good_ = false;
      value = value * 10 + (rest_[i] - '0');
    }
    if (good_) rest_.remove_prefix(digits);
    return value;
  }
  // asctime pads the day of the month with a space.
  int padded_number() {
    if (!rest_.starts_with(' ')) return number(2);
    rest_.remove_prefix(1);
    return number(1);
  }
  template <std::size_t N>
  std::size_t one_of(const std::array<std::string_view, N>& names) {
    for (std::size_t i = 0; i < N; ++i)
      if (rest_.starts_with(names[i])) {
        rest_.remove_prefix(names[i].size());
        return i;
      }
    good_ = false;
    return 0;
  }
  bool complete() const { return good_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool good_ = true;
};

struct DateParts {
  int year = 0;
  std::size_t month = 0;  // from 0
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
};

void read_time(Reader& reader, DateParts& parts) {
  parts.hour = reader.number(2);
  reader.literal(":");
  parts.minute = reader.number(2);
  reader.literal(":");
  parts.second = reader.number(2);
}

std::optional<DateParts> read_imf_fixdate(std::string_view text) {
  Reader reader(text);
  DateParts parts;
  reader.one_of(kDays);
  reader.literal(", ");
  parts.day = reader.number(2);
  reader.literal(" ");
  parts.month = reader.one_of(kMonths);
  reader.literal(" ");
  parts.year = reader.number(4);
  reader.literal(" ");
  read_time(reader, parts);
  reader.literal(" GMT");
  return reader.complete() ? std::optional(parts) : std::nullopt;
}

std::optional<DateParts> read_rfc850(std::string_view text, int year_now) {
  Reader reader(text);
  DateParts parts;
  reader.one_of(kLongDays);
  reader.literal(", ");
  parts.day = reader.number(2);
  reader.literal("-");
  parts.month = reader.one_of(kMonths);
  reader.literal("-");
  parts.year = reader.number(2);
  reader.literal(" ");
  read_time(reader, parts);
  reader.literal(" GMT");
  if (!reader.complete()) return std::nullopt;
  // RFC 9110 5.6.7: a two-digit year that appears to be more than 50 years in the future lies in the past century.
  parts.year += year_now / 100 * 100;
  if (parts.year > year_now + 50) parts.year -= 100;
  return parts;
}

std::optional<DateParts> read_asctime(std::string_view text) {
  Reader reader(text);
  DateParts parts;
  reader.one_of(kDays);
  reader.literal(" ");
  parts.month = reader.one_of(kMonths);
  reader.literal(" ");
  parts.day = reader.padded_number();
  reader.literal(" ");
  read_time(reader, parts);
  reader.literal(" ");
  parts.year = reader.number(4);
  return reader.complete() ? std::optional(parts) : std::nullopt;
}

std::optional<WallTime> to_wall_time(const DateParts& parts) {
  using namespace std::chrono;
  const year_month_day date{year(parts.year), month(static_cast<unsigned>(parts.month) + 1),
                            day(static_cast<unsigned>(parts.day))};
  if (!date.ok() || parts.hour > 23 || parts.minute > 59 || parts.second > 60) return std::nullopt;
  const auto since_epoch =
      sys_days(date).time_since_epoch() + hours(parts.hour) + minutes(parts.minute) + seconds(parts.second);
  return WallTime{duration_cast<milliseconds>(since_epoch).count()};
}

int year_of(WallTime time) {
  using namespace std::chrono;
  const year_month_day date{floor<days>(sys_time<milliseconds>(milliseconds(time.ms)))};
  return static_cast<int>(date.year());
}

std::optional<WallTime> read_http_date(std::string_view value, WallTime now) {
  std::optional<DateParts> parts = read_imf_fixdate(value);
  if (!parts) parts = read_rfc850(value, year_of(now));
  if (!parts) parts = read_asctime(value);
  return parts ? to_wall_time(*parts) : std::nullopt;
}

}  // namespace

std::optional<milliseconds> parse_retry_after(std::string_view value, WallTime now) {
  const bool all_digits = !value.empty() && std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
  if (all_digits) {
    if (value.size() > kDigitsMax) return std::nullopt;
    std::uint64_t seconds = 0;
    std::from_chars(value.data(), value.data() + value.size(), seconds);
    const auto longest = static_cast<std::uint64_t>(kRetryAfterMax.count() / 1000);
    return milliseconds(static_cast<std::int64_t>(std::min(seconds, longest)) * 1000);
  }
  const std::optional<WallTime> date = read_http_date(value, now);
  if (!date) return std::nullopt;
  return std::clamp(*date - now, milliseconds(0), kRetryAfterMax);
}

}  // namespace semel::retry
