// chart.h: the story of a world as a sequence chart that a person can read: who said what to whom, and what broke.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "base/time.h"

namespace semel::sim {

class Chart {
 public:
  // Remembers the last `lines_max` lines; 0: none are even written.
  void keep(std::size_t lines_max) { lines_max_ = lines_max; }
  bool kept() const { return lines_max_ > 0; }

  // `from` -> `to`: what. An empty `to`: something that happened to `from` alone. Ids stand in `what` in full.
  void add(MonotonicTime at, std::string_view from, std::string_view to, std::string what);
  void add_violation(MonotonicTime at, std::string_view checker, std::string text);

  // Producers, server, store, receivers and faults from left to right; events are called e1, e2 .. and endpoints p1,
  // p2 .., in the order in which they came up. Of a long story only what happened to the events and endpoints that the
  // violation names, what failed, and the end.
  std::string draw() const;

 private:
  struct Line {
    enum class Kind : unsigned char { happened, violated };
    Kind kind;
    MonotonicTime at;
    std::string from, to, what;
  };
  void push(Line line);

  std::size_t lines_max_ = 0;
  std::deque<Line> lines_;
};

}  // namespace semel::sim
