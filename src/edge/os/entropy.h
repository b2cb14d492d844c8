// entropy.h: chance from the operating system. When the kernel gives none, the process ends: nothing made from weak
// chance may leave it.
//
// Threads: any. What was handed out is wiped from the buffer at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "port/entropy.h"

namespace semel {

class OsEntropy final : public Entropy {
 public:
  OsEntropy() = default;
  OsEntropy(const OsEntropy&) = delete;
  OsEntropy& operator=(const OsEntropy&) = delete;
  ~OsEntropy() override;

  void fill(std::span<std::uint8_t> bytes) override;
  std::uint64_t next() override;

 private:
  std::mutex mutex_;
  std::array<std::uint8_t, 4096> block_;
  std::size_t used_ = sizeof block_;
};

}  // namespace semel
