// retry_after.h: the Retry-After header, read strictly.
//
// RFC 9110 section 10.2.3: delay-seconds (1*DIGIT) or an HTTP-date in one of its three forms (section 5.6.7). Anything
// else - signs, fractions, over 19 digits, other dates - counts as absent. A date in the past means now.
#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"

namespace semel::retry {

inline constexpr milliseconds kRetryAfterMax{3'600'000};

// The wait that was asked for, between 0 and kRetryAfterMax.
std::optional<milliseconds> parse_retry_after(std::string_view value, WallTime now);

}  // namespace semel::retry
