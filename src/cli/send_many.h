// send_many.h: a file of events, one JSON object a line, handed in in its order.
#pragma once

#include <cstddef>
#include <string>

#include "base/json.h"
#include "base/time.h"
#include "cli/output.h"

namespace semel::cli {

struct SendMany {
  std::string file;       // - for standard input
  std::size_t batch = 1;  // lines per request
  milliseconds patience;
  Output output = Output::text;
};

// Stops at the first event that is refused, so that the order within the file stays the order of each key. Returns the
// exit code.
int send_many(const SendMany& plan);

// "ID SEQUENCE" of an accepted event.
std::string accepted_line(const JsonValue& accepted);

}  // namespace semel::cli
