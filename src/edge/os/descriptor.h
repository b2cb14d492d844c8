// descriptor.h: owns a file descriptor.
#pragma once

#include <unistd.h>

#include <utility>

namespace semel {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}  // negative: none
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  explicit operator bool() const { return fd_ >= 0; }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  // False when the close failed; the descriptor is gone either way.
  bool close() { return ::close(release()) == 0; }

 private:
  int fd_;
};

}  // namespace semel
