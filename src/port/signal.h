// signal.h: one coroutine waits here until another part of the same loop says so.
//
// A notify without a waiter is remembered once, so a wake-up between "nothing to do" and "wait" is not lost.
// Threads: the loop's thread only.
#pragma once

#include <utility>

#include "port/clock.h"
#include "port/co.h"

namespace semel {

class Signal {
 public:
  explicit Signal(Executor& executor) : executor_(executor) {}
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  // The waiter resumes in a later turn of the loop, so callers need not expect it to run inside notify().
  void notify() {
    notified_ = true;
    if (waiting_ && !posted_) {
      posted_ = true;
      executor_.post([this] {
        posted_ = false;
        if (!waiting_ || !notified_) return;
        notified_ = false;
        std::exchange(waiting_, nullptr)(Nothing{});
      });
    }
  }

  Co<void> wait() {
    if (notified_ && !posted_) {
      notified_ = false;
      co_return;
    }
    co_await call<Nothing>([&](Done<Nothing> done) {
      SEMEL_CHECK(!waiting_);
      waiting_ = std::move(done);
    });
  }

 private:
  Executor& executor_;
  Done<Nothing> waiting_;
  bool notified_ = false;
  bool posted_ = false;
};

}  // namespace semel
