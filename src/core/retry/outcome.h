// outcome.h: what came back from one attempt, as facts. What it means is decided in judge.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/time.h"

namespace semel {

// A complete status line and header section arrived.
struct Answer {
  int status = 0;
  std::optional<std::string> disposition;  // the value of semel-disposition
  std::optional<std::string> retry_after;  // the raw value of Retry-After
  std::string body_excerpt;                // at most 1 KiB of the body's start, bytes as they came
  enum class Body {
    complete,
    over_cap,    // cut by us at the cap; the status stands
    incomplete,  // cut by the other side, or still dripping at the deadline
  };
  Body body = Body::complete;
};

// No complete status line and header section arrived.
struct NoAnswer {
  enum class Trouble {
    denied_destination,  // the egress rules forbid it; nothing was sent
    name_resolution,
    connect,
    tls,
    certificate,
    malformed_answer,  // bytes that are not HTTP
    connection_lost,   // reset or closed by the other side
    timed_out,         // the attempt's total deadline
    lapsed,            // this process ended while the attempt was under way (found at the next start)
  };
  Trouble trouble;
  bool request_byte_left = false;  // the first byte of the request was handed to the operating system
  // The connection came from the pool and closed before any byte of an answer: it had probably died idle.
  bool stale_connection = false;
  std::string note;  // for people
};

using Outcome = std::variant<Answer, NoAnswer>;

// The seven failure classes (seed 004, sections 64 to 67).
enum class FailureClass : std::uint8_t {
  transient,
  permanent,
  conflict,
  throttled,
  unknown_outcome,
  cancelled,
  policy_rejected,
};
const char* name_of(FailureClass failure);

}  // namespace semel
