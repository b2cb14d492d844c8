// time.h: two clocks that must not be mixed. WallTime is what people and receivers see and what is stored;
// MonotonicTime is what waits are measured on. Nothing here reads a clock: times arrive as arguments (port/clock.h).
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace semel {

using std::chrono::milliseconds;
using Nanoseconds = std::chrono::nanoseconds;

// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
struct WallTime {
  std::int64_t ms = 0;
  friend constexpr auto operator<=>(WallTime, WallTime) = default;
  friend constexpr WallTime operator+(WallTime time, milliseconds d) { return {time.ms + d.count()}; }
  friend constexpr WallTime operator-(WallTime time, milliseconds d) { return {time.ms - d.count()}; }
  friend constexpr milliseconds operator-(WallTime a, WallTime b) { return milliseconds(a.ms - b.ms); }
};

// Nanoseconds since some moment of this process; never goes back.
struct MonotonicTime {
  std::int64_t ns = 0;
  friend constexpr auto operator<=>(MonotonicTime, MonotonicTime) = default;
  friend constexpr MonotonicTime operator+(MonotonicTime time, Nanoseconds d) { return {time.ns + d.count()}; }
  friend constexpr MonotonicTime operator-(MonotonicTime time, Nanoseconds d) { return {time.ns - d.count()}; }
  friend constexpr Nanoseconds operator-(MonotonicTime a, MonotonicTime b) { return Nanoseconds(a.ns - b.ns); }
};

// RFC 3339, UTC, milliseconds: 2026-11-30T07:45:51.123Z. Years 0001 to 9999.
std::string format_rfc3339(WallTime time);

// Takes what RFC 3339 section 5.6 allows (any offset, any number of fraction digits, which are cut to milliseconds;
// second 60 counts as 59.999). Else Fault::invalid.
Result<WallTime> parse_rfc3339(std::string_view text);

}  // namespace semel
