// story.h: tells a scenario step by step and checks that it turned out as told.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace semel::scenario {

class Story {
 public:
  // What is about to happen.
  void step(std::string_view text) { say(fmt::format("\n{}. {}", ++steps_, text)); }
  // What was seen, below its step.
  void fact(std::string_view text) { say(fmt::format("     {}", text)); }
  // Something that must be so; a story with a false one did not turn out as told.
  void expect(std::string_view what, bool so) {
    say(fmt::format("   {} {}", so ? "[ok]    " : "[NOT SO]", what));
    good_ = good_ && so;
  }
  bool good() const { return good_; }

 private:
  static void say(const std::string& line) {
    fmt::print("{}\n", line);
    std::fflush(stdout);
  }
  int steps_ = 0;
  bool good_ = true;
};

}  // namespace semel::scenario
