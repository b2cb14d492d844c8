// scratch.h: a folder for the files of this process and its children, removed at the end whatever became of them.
#pragma once

#include <filesystem>

namespace semel::sim {

class Scratch {
 public:
  Scratch();  // from now on TMPDIR names it
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

 private:
  std::filesystem::path folder_;
};

}  // namespace semel::sim
