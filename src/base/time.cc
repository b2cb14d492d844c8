// time.cc: RFC 3339, the only text form of a time.
#include "base/time.h"

#include "base/check.h"

namespace semel {
namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr std::int64_t kMsPerDay = 86'400'000;
constexpr std::int64_t kFirstMs = -62'135'596'800'000;  // 0001-01-01T00:00:00.000Z
constexpr std::int64_t kLastMs = 253'402'300'799'999;   // 9999-12-31T23:59:59.999Z

void append_digits(std::string& out, std::int64_t number, int width) {
  std::string digits(static_cast<std::size_t>(width), '0');
  for (auto at = digits.rbegin(); at != digits.rend(); ++at) {
    *at = static_cast<char>('0' + number % 10);
    number /= 10;
  }
  out += digits;
}

// Takes the parts of a time from the front of a text; after the first part that is not there, ok is false for good.
struct TimeReader {
  std::string_view rest;
  bool ok = true;

  bool at_digit() const { return !rest.empty() && rest[0] >= '0' && rest[0] <= '9'; }

  int number(int width, int low, int high) {
    int value = 0;
    for (int i = 0; i < width; ++i) {
      if (!at_digit()) return refuse();
      value = value * 10 + (rest[0] - '0');
      rest.remove_prefix(1);
    }
    return value < low || value > high ? refuse() : value;
  }
  // One of the characters of `choices`.
  char one_of(std::string_view choices) {
    if (rest.empty() || choices.find(rest[0]) == std::string_view::npos) {
      refuse();
      return '\0';
    }
    const char c = rest[0];
    rest.remove_prefix(1);
    return c;
  }
  int refuse() {
    ok = false;
    return 0;
  }
};

// ".123456": the first three digits count.
std::int64_t read_fraction_ms(TimeReader& reader) {
  if (!reader.rest.starts_with('.')) return 0;
  reader.rest.remove_prefix(1);
  if (!reader.at_digit()) return reader.refuse();
  std::int64_t ms = 0;
  for (std::int64_t unit = 100; reader.at_digit(); unit /= 10) ms += unit * reader.number(1, 0, 9);
  return ms;
}

std::int64_t read_offset_ms(TimeReader& reader) {
  const char sign = reader.one_of("Zz+-");
  if (sign != '+' && sign != '-') return 0;
  const int hours = reader.number(2, 0, 23);
  reader.one_of(":");
  const int minutes = reader.number(2, 0, 59);
  const std::int64_t offset = (hours * 60 + minutes) * std::int64_t{60'000};
  return sign == '+' ? offset : -offset;
}

std::int64_t read_time_of_day_ms(TimeReader& reader) {
  const int hour = reader.number(2, 0, 23);
  reader.one_of(":");
  const int minute = reader.number(2, 0, 59);
  reader.one_of(":");
  const int second = reader.number(2, 0, 60);
  const std::int64_t fraction = read_fraction_ms(reader);
  const std::int64_t within_minute = second == 60 ? 59'999 : second * 1000 + fraction;
  return (hour * 60 + minute) * std::int64_t{60'000} + within_minute;
}

}  // namespace

std::string format_rfc3339(WallTime time) {
  SEMEL_CHECK(time.ms >= kFirstMs);
  SEMEL_CHECK(time.ms <= kLastMs);
  const auto days = std::chrono::floor<std::chrono::days>(milliseconds(time.ms));
  const year_month_day date{sys_days(days)};
  const std::int64_t ms = time.ms - days.count() * kMsPerDay;
  std::string text;
  text.reserve(24);
  append_digits(text, int(date.year()), 4);
  text += '-';
  append_digits(text, unsigned(date.month()), 2);
  text += '-';
  append_digits(text, unsigned(date.day()), 2);
  text += 'T';
  append_digits(text, ms / 3'600'000, 2);
  text += ':';
  append_digits(text, ms / 60'000 % 60, 2);
  text += ':';
  append_digits(text, ms / 1000 % 60, 2);
  text += '.';
  append_digits(text, ms % 1000, 3);
  text += 'Z';
  return text;
}

Result<WallTime> parse_rfc3339(std::string_view text) {
  TimeReader reader{text};
  const int year = reader.number(4, 1, 9999);
  reader.one_of("-");
  const int month = reader.number(2, 1, 12);
  reader.one_of("-");
  const int day = reader.number(2, 1, 31);
  reader.one_of("Tt");
  const std::int64_t time_of_day = read_time_of_day_ms(reader);
  const std::int64_t offset = read_offset_ms(reader);
  const year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day))};
  if (!reader.ok || !reader.rest.empty() || !date.ok())
    return fail(Fault::invalid, "a time is written as in RFC 3339, like 2026-11-30T07:45:51.123Z");
  const WallTime time{sys_days(date).time_since_epoch().count() * kMsPerDay + time_of_day - offset};
  if (time.ms < kFirstMs || time.ms > kLastMs) return fail(Fault::invalid, "a time lies in the years 0001 to 9999 UTC");
  return time;
}

}  // namespace semel
