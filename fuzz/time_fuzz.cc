// time_fuzz.cc: a time that was read is written in one form, and that form is read back.
#include "base/time.h"

#include <string>

#include "fuzz/fuzz.h"

namespace semel::fuzz {

void time(std::string_view bytes) {
  const Result<WallTime> time = parse_rfc3339(bytes);
  if (!time) {
    SEMEL_CHECK(time.error().fault == Fault::invalid);
    return;
  }
  const std::string text = format_rfc3339(*time);
  SEMEL_CHECK(text.size() == std::string_view("2026-11-30T07:45:51.123Z").size());
  SEMEL_CHECK(parse_rfc3339(text) == *time);
  // Whole minutes, so that an offset of an hour less is an hour later, within the years there are.
  if (!text.starts_with("0001-01-01") && !text.starts_with("9999-12-31")) {
    const std::string shifted = text.substr(0, text.size() - 1);
    SEMEL_CHECK(parse_rfc3339(shifted + "-01:00").value() == *time + std::chrono::hours(1));
    SEMEL_CHECK(parse_rfc3339(shifted + "+00:00").value() == *time);
  }
}

}  // namespace semel::fuzz
