// entropy.cc: getrandom in blocks, so that an id costs no system call.
#include "edge/os/entropy.h"

#include <string.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>

#include "base/check.h"

namespace semel {

namespace {

void fill_from_kernel(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    SEMEL_CHECK(got > 0);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace

OsEntropy::~OsEntropy() { explicit_bzero(block_.data(), block_.size()); }

void OsEntropy::fill(std::span<std::uint8_t> bytes) {
  const std::lock_guard lock(mutex_);
  while (!bytes.empty()) {
    if (used_ == block_.size()) {
      fill_from_kernel(block_);
      used_ = 0;
    }
    const std::size_t size = std::min(bytes.size(), block_.size() - used_);
    std::copy_n(block_.begin() + static_cast<std::ptrdiff_t>(used_), size, bytes.begin());
    explicit_bzero(block_.data() + used_, size);
    used_ += size;
    bytes = bytes.subspan(size);
  }
}

std::uint64_t OsEntropy::next() {
  std::array<std::uint8_t, 8> bytes;
  fill(bytes);
  std::uint64_t value = 0;
  for (const std::uint8_t byte : bytes) value = value << 8 | byte;
  return value;
}

}  // namespace semel
