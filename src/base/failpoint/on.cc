// on.cc: failpoints that act, for test programs only. SEMEL_FP="enq.after_commit:kill@2" kills this process
// with SIGKILL when that place is reached for the second time. A malformed SEMEL_FP ends the process at once, so that
// a mistyped test cannot pass by doing nothing.
#include "base/failpoint.h"

#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <string_view>

namespace semel {
namespace {

struct Armed {
  std::string name;
  long nth = 1;
  std::atomic<long> hits = 0;
};

[[noreturn]] void refuse(std::string_view text) {
  std::fprintf(stderr, "SEMEL_FP: cannot read '%.*s', expected NAME:kill@N\n", static_cast<int>(text.size()),
               text.data());
  std::exit(2);
}

void arm(std::deque<Armed>& armed, std::string_view text) {
  const std::size_t colon = text.find(":kill@");
  if (colon == std::string_view::npos || colon == 0) refuse(text);
  const std::string_view number = text.substr(colon + 6);
  long nth = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), nth);
  if (error != std::errc{} || end != number.data() + number.size() || nth < 1) refuse(text);
  armed.emplace_back();
  armed.back().name = text.substr(0, colon);
  armed.back().nth = nth;
}

std::deque<Armed>& armed_failpoints() {
  static std::deque<Armed> armed = [] {
    std::deque<Armed> list;
    const char* variable = std::getenv("SEMEL_FP");
    std::string_view rest = variable ? variable : "";
    while (!rest.empty()) {
      const std::size_t comma = rest.find(',');
      arm(list, rest.substr(0, comma));
      rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    }
    return list;
  }();
  return armed;
}

}  // namespace

void failpoint(const char* name) {
  for (Armed& armed : armed_failpoints())
    if (armed.name == name && ++armed.hits == armed.nth) std::raise(SIGKILL);
}

}  // namespace semel
