// clock.h: time and turns of the loop.
#pragma once

#include <cstdint>
#include <memory>

#include "base/strong.h"
#include "base/time.h"
#include "port/cancel.h"
#include "port/co.h"

namespace semel {

// Runs functions one after another on the loop's thread.
class Executor {
 public:
  virtual ~Executor() = default;
  // `f` runs later, never inside this call. Any thread may call.
  virtual void post(std::move_only_function<void()> f) = 0;
};

using TimerId = Strong<struct TimerIdTag, std::uint64_t>;  // 0 names no timer

class Clock {
 public:
  virtual ~Clock() = default;
  virtual MonotonicTime now() const = 0;
  virtual WallTime wall() const = 0;
  // Calls `done` on the loop once `at` is reached (at once, but not inside this call, when it has passed). Resolution
  // is one millisecond; never early.
  virtual TimerId start_timer(MonotonicTime at, Done<> done) = 0;
  // After this the timer's `done` is not called. Stopping one that has fired or was stopped does nothing.
  virtual void stop_timer(TimerId timer) = 0;
};

// Waits until `at` or until the cancel is requested.
inline Co<void> sleep_until(Clock& clock, MonotonicTime at, Cancel& cancel) {
  if (cancel.requested()) co_return;
  co_await call<Nothing>([&](Done<Nothing> done) {
    auto shared = std::make_shared<Done<Nothing>>(std::move(done));
    const TimerId timer = clock.start_timer(at, [shared, &cancel] {
      cancel.disarm();
      (*shared)(Nothing{});
    });
    cancel.arm([shared, timer, &clock] {
      clock.stop_timer(timer);
      (*shared)(Nothing{});
    });
  });
}

inline Co<void> sleep_until(Clock& clock, MonotonicTime at) {
  co_await call<Nothing>([&](Done<Nothing> done) {
    clock.start_timer(at, [waiting = std::move(done)]() mutable { waiting(Nothing{}); });
  });
}

}  // namespace semel
