// ledger.h: the effects of `semel listen` as lines of text, in their order, for whoever wants to count without a
// database.
//
// Invariant:  a line stands here only after its effect was committed, and before any answer that speaks of it.
// On a crash: a half line is cut off at the next opening, and what is missing is written from the effects table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace semel::cli {

class Ledger {
 public:
  // Fault::corrupt: its last line is none of ours.
  static Result<Ledger> open(const std::string& path);
  Ledger(Ledger&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_), last_effect_no_(other.last_effect_no_) {}
  Ledger& operator=(Ledger&&) = delete;
  ~Ledger();

  std::int64_t last_effect_no() const { return last_effect_no_; }

  // Whole lines, the last of which is that of `last_effect_no`. Fault::unavailable: nothing was added.
  // Fault::unknown_outcome: it is not known what the disk holds.
  Result<void> append(std::string_view lines, std::int64_t last_effect_no);

 private:
  Ledger(int descriptor, std::int64_t size, std::int64_t last)
      : descriptor_(descriptor), size_(size), last_effect_no_(last) {}

  int descriptor_;
  std::int64_t size_;
  std::int64_t last_effect_no_;
};

}  // namespace semel::cli
