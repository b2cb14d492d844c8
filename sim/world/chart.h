// chart.h: the story of a world as a sequence chart that a person can read: who said what to whom, and what broke.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "base/time.h"

namespace semel::sim {

class Chart {
 public:
  // Keeps the last `lines_max` lines; 0: none are even written.
  void keep(std::size_t lines_max) { lines_max_ = lines_max; }
  bool kept() const { return lines_max_ > 0; }

  // `from` -> `to`: what. An empty `to`: something that happened to `from` alone.
  void add(MonotonicTime at, std::string_view from, std::string_view to, std::string what);

  // Columns in the order in which their owners first spoke.
  std::string draw() const;

 private:
  struct Line {
    MonotonicTime at;
    std::string from, to, what;
  };
  std::size_t lines_max_ = 0;
  std::deque<Line> lines_;
};

}  // namespace semel::sim
