// report.h: how the demo shows itself: one line while it runs, a small table and one line of JSON at the end.
#pragma once

#include <cstdint>
#include <string>

#include "accounts.h"
#include "stage.h"

namespace semel::demo {

struct Performance {
  Verdict verdict;
  int kills = 0;
  double recovery_s_max = 0;
  double seconds = 0;
};

// Overwrites itself on a terminal; says nothing where there is none.
class ProgressLine {
 public:
  void show(std::int64_t accepted, const Stage::Look& look, int kills, int kills_planned);
  void end();

 private:
  bool shown_ = false;
};

void print_table(const Performance& performance);
std::string json_line(const Performance& performance);

}  // namespace semel::demo
