// scratch.cc: mkdtemp, TMPDIR.
#include "sim/run/scratch.h"

#include <cstdlib>
#include <string>
#include <system_error>

#include "base/check.h"

namespace semel::sim {

Scratch::Scratch() {
  std::string pattern = (std::filesystem::temp_directory_path() / "semel-sim-run-XXXXXX").string();
  SEMEL_CHECK(mkdtemp(pattern.data()) != nullptr);
  folder_ = pattern;
  SEMEL_CHECK(setenv("TMPDIR", pattern.c_str(), 1) == 0);
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace semel::sim
