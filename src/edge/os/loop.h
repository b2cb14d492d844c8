// loop.h: the thread that runs all coroutines: turns (Executor), time (Clock) and readiness of descriptors, on one
// Boost.Asio io_context that only edge/os and edge/net know.
//
// Threads:    post() and stop() from any thread, everything else from the thread that calls run().
// Lifetime:   whatever was made on a Loop (streams, listeners, watches, coroutine frames that wait on them) is
// destroyed
//             before it. Functions that were posted and never ran are destroyed with it, without being called.
// On a crash: nothing is kept.
#pragma once

#include <cstdint>
#include <memory>

#include "port/clock.h"

namespace boost::asio {
class io_context;
}

namespace semel {

class Loop final : public Executor, public Clock {
 public:
  Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop() override;

  // However many functions are posted, the loop is woken once until it has taken them.
  void post(std::move_only_function<void()> f) override;

  // Counts through suspension of the machine (CLOCK_BOOTTIME) where the kernel has that, so a lease that ran out while
  // the machine slept is seen to have run out.
  MonotonicTime now() const override;
  WallTime wall() const override;
  TimerId start_timer(MonotonicTime at, Done<> done) override;
  void stop_timer(TimerId timer) override;

  // Runs until stop(); may be called again. An exception out of a function ends the process.
  void run() noexcept;
  // run() returns after the function that is running now, or at once when called next. What waits stays.
  void stop();

  // Whether an operation may complete inside the call that starts it. Mostly true; at regular intervals false, and then
  // it must complete through post(), so that a chain of such completions neither grows the stack without bound nor
  // keeps others from their turn.
  bool may_complete_inline();

  boost::asio::io_context& io();

 private:
  struct State;
  void run_posted();
  void fire_due();
  void arm();

  std::unique_ptr<State> state_;
};

}  // namespace semel
