// deadline.h: two ways to request a Cancel at a moment.
//
// Both must be stopped before they and the Cancel go away, by a call and not by a destructor: a coroutine's frame may
// be dropped when the clock is already gone (port/co.h).
#pragma once

#include <optional>

#include "port/cancel.h"
#include "port/clock.h"

namespace semel::http {

// One fixed moment.
class Deadline {
 public:
  Deadline(Clock& clock, MonotonicTime at, Cancel& cancel)
      : clock_(clock), timer_(clock.start_timer(at, [&cancel] { cancel.request(); })) {}
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  void stop() { clock_.stop_timer(timer_); }

 private:
  Clock& clock_;
  TimerId timer_;
};

// A moment that is moved often. Moving it later, or resting, costs no timer operation.
class Watchdog {
 public:
  Watchdog(Clock& clock, Cancel& cancel) : clock_(clock), cancel_(cancel) {}
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void expect_within(milliseconds wait) {
    at_ = clock_.now() + wait;
    if (timer_ && timer_at_ <= *at_) return;
    stop_timer();
    start_timer();
  }
  void rest() { at_.reset(); }
  void stop() {
    rest();
    stop_timer();
  }

 private:
  void start_timer() {
    timer_at_ = *at_;
    timer_ = clock_.start_timer(timer_at_, [this] {
      timer_.reset();
      if (!at_) return;
      if (clock_.now() < *at_) return start_timer();
      cancel_.request();
    });
  }
  void stop_timer() {
    if (timer_) clock_.stop_timer(*timer_);
    timer_.reset();
  }

  Clock& clock_;
  Cancel& cancel_;
  std::optional<MonotonicTime> at_;
  std::optional<TimerId> timer_;
  MonotonicTime timer_at_;
};

}  // namespace semel::http
