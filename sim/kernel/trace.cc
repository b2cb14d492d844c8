// trace.cc: one line of the trace: virtual time, who, what.
#include "sim/kernel/trace.h"

#include <fmt/core.h>

namespace semel::sim {

void Trace::print(std::string_view who, const std::string& text) {
  const std::int64_t us = now_.ns / 1'000;
  print_(fmt::format("{:>9}.{:06} {:<12} {}", us / 1'000'000, us % 1'000'000, who, text));
}

}  // namespace semel::sim
