// trace.h: what happened, folded into one number; two runs of a seed must end with the same. Printed line by line when
// asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "sim/kernel/draw.h"

namespace semel::sim {

class Trace {
 public:
  // Called with each line; an empty function: lines are not even written.
  explicit Trace(std::function<void(std::string_view)> print = {}) : print_(std::move(print)) {}

  void fold(std::uint64_t number) { hash_ = mix(hash_, number); }
  void fold(std::string_view bytes);
  std::uint64_t hash() const { return hash_; }

  void set_time(MonotonicTime now) { now_ = now; }

  // `text` is written only when somebody reads it; what must be compared is folded by the caller.
  template <class F>
  void note(std::string_view who, F text) {
    if (print_) print(who, text());
  }

 private:
  void print(std::string_view who, const std::string& text);

  std::uint64_t hash_ = 0;
  MonotonicTime now_;
  std::function<void(std::string_view)> print_;
};

}  // namespace semel::sim
