// trace.cc: one line of the trace: virtual time, who, what.
#include "sim/kernel/trace.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

namespace semel::sim {

// Eight bytes a step: all that crosses the wires of a world comes through here.
void Trace::fold(std::string_view bytes) {
  std::uint64_t folded = bytes.size();
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t count = std::min(bytes.size(), sizeof word);
    std::memcpy(&word, bytes.data(), count);
    bytes.remove_prefix(count);
    folded = (folded ^ word) * 0x9E3779B97F4A7C15ull;
    folded ^= folded >> 32;
  }
  hash_ = mix(hash_, folded);
}

void Trace::print(std::string_view who, const std::string& text) {
  const std::int64_t us = now_.ns / 1'000;
  print_(fmt::format("{:>9}.{:06} {:<12} {}", us / 1'000'000, us % 1'000'000, who, text));
}

}  // namespace semel::sim
