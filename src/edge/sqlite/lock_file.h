// lock_file.h: one process per store. While it lives the file is locked and holds this process's id; the lock goes with
// the process however it ends, so that holding it proves the predecessor's death.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace semel::sqlite {

class LockFile {
 public:
  // Fault::busy with the holder's process id in the note.
  static Result<LockFile> take(const std::string& path);
  LockFile(LockFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  LockFile& operator=(LockFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~LockFile();

 private:
  explicit LockFile(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace semel::sqlite
