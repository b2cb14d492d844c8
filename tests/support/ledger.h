// ledger.h: how many effects the receiver's ledger holds.
#pragma once

#include <fstream>
#include <string>

namespace semel::tests {

inline int effects_in(const std::string& ledger) {
  std::ifstream lines(ledger);
  int count = 0;
  for (std::string line; std::getline(lines, line);) ++count;
  return count;
}

}  // namespace semel::tests
