// retry_after_fuzz.cc: a wait that was asked for is between nothing and an hour, whatever was written, and a date means
// the same wait from whichever moment it is read.
#include "core/retry/retry_after.h"

#include <optional>
#include <string>

#include "api/http_date.h"
#include "fuzz/fuzz.h"

namespace semel::fuzz {
namespace {

using retry::kRetryAfterMax;
using retry::parse_retry_after;
using std::chrono::seconds;

constexpr WallTime k2026{1'796'024'751'000};
constexpr WallTime kMoments[] = {{0}, {951'782'400'000}, k2026, {4'102'444'799'999}, {253'402'300'799'000}};

bool is_seconds(std::string_view value) {
  return !value.empty() && std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
}

void check_seconds(std::string_view value, milliseconds wait) {
  milliseconds expected{0};
  for (const char c : value) expected = std::min(expected * 10 + seconds(c - '0'), kRetryAfterMax);
  SEMEL_CHECK(wait == expected);
}

// A date of four digits of year, so that the moment it is read at plays no part in what it means.
void check_date(std::string_view value, WallTime now, milliseconds wait) {
  for (const milliseconds later : {milliseconds(1), milliseconds(seconds(59)), milliseconds(std::chrono::hours(2))}) {
    const auto wait_later = parse_retry_after(value, now + later);
    SEMEL_CHECK(wait_later && *wait_later <= wait);
    SEMEL_CHECK(wait == kRetryAfterMax || *wait_later == std::max(wait - later, milliseconds(0)));
  }
}

bool has_long_year(std::string_view value) { return !value.contains('-'); }

void check(std::string_view value, WallTime now) {
  const std::optional<milliseconds> wait = parse_retry_after(value, now);
  if (!wait) {
    SEMEL_CHECK(!is_seconds(value) || value.size() > 19);
    return;
  }
  SEMEL_CHECK(*wait >= milliseconds(0) && *wait <= kRetryAfterMax);
  for (const char* around : {" ", "-", "+", "."}) {
    SEMEL_CHECK(!parse_retry_after(around + std::string(value), now));
    SEMEL_CHECK(!parse_retry_after(std::string(value) + around, now));
  }
  if (is_seconds(value)) {
    check_seconds(value, *wait);
  } else if (has_long_year(value)) {
    check_date(value, now, *wait);
  }
}

}  // namespace

void retry_after(std::string_view bytes) {
  for (const WallTime now : kMoments) check(bytes, now);
  SeededRandom random = chance_of(bytes);
  const seconds wait(random.below(3600));
  SEMEL_CHECK(parse_retry_after(api::format_http_date(k2026 + wait), k2026) == wait);
}

}  // namespace semel::fuzz
