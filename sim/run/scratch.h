// scratch.h: a folder for the files of this process and its children, removed at the end whatever became of them.
#pragma once

#include <cstdlib>

#include "base/check.h"
#include "base/testing/temp_folder.h"

namespace semel::sim {

class Scratch {
 public:
  Scratch() { SEMEL_CHECK(setenv("TMPDIR", folder_.path().c_str(), 1) == 0); }  // from now on TMPDIR names it

 private:
  TempFolder folder_;
};

}  // namespace semel::sim
