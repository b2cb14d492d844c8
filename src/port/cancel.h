// cancel.h: how a waiting operation is told to stop. One Cancel accompanies one chain of operations, of which at most
// one waits at a time.
//
// A port that starts an operation arms the Cancel with what ends the wait, and disarms it when the operation
// completes. After request(), the waiting operation and every later one under this Cancel completes with
// Fault::timed_out (or its port's equivalent); a result that was already on its way may still arrive instead.
// Threads: the loop's thread only.
#pragma once

#include <functional>
#include <utility>

namespace semel {

class Cancel {
 public:
  Cancel() = default;
  Cancel(const Cancel&) = delete;
  Cancel& operator=(const Cancel&) = delete;

  bool requested() const { return requested_; }
  void request() {
    if (std::exchange(requested_, true)) return;
    if (stop_) std::exchange(stop_, nullptr)();
  }
  void arm(std::move_only_function<void()> stop) { stop_ = std::move(stop); }
  void disarm() { stop_ = nullptr; }

 private:
  bool requested_ = false;
  std::move_only_function<void()> stop_;
};

}  // namespace semel
