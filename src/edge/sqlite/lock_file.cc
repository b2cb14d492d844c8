// lock_file.cc: flock(2) on a file that is never removed, since another process may be about to lock it.
#include "edge/sqlite/lock_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace semel::sqlite {
namespace {

std::string holder(int descriptor) {
  std::array<char, 32> text{};
  const ssize_t size = pread(descriptor, text.data(), text.size(), 0);
  std::string pid;
  for (ssize_t i = 0; i < size && text[static_cast<std::size_t>(i)] >= '0' && text[static_cast<std::size_t>(i)] <= '9';
       ++i)
    pid += text[static_cast<std::size_t>(i)];
  return pid.empty() ? "unknown" : pid;
}

bool write_own_pid(int descriptor) {
  const std::string pid = fmt::format("{}\n", getpid());
  return ftruncate(descriptor, 0) == 0 &&
         pwrite(descriptor, pid.data(), pid.size(), 0) == static_cast<ssize_t>(pid.size());
}

}  // namespace

Result<LockFile> LockFile::take(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return fail(Fault::unavailable, fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  LockFile lock(descriptor);
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK)
      return fail(Fault::unavailable, fmt::format("cannot lock {}: {}", path, std::strerror(errno)));
    return fail(Fault::busy,
                fmt::format("another process works on this store: process {} ({})", holder(descriptor), path));
  }
  // The id is for people; on a full disk the lock holds without it.
  static_cast<void>(write_own_pid(descriptor));
  return lock;
}

LockFile::~LockFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace semel::sqlite
