// inline_lanes.h: lanes and loop for tests: work and posts wait in one queue until the test drains it, so the test says
// what is committed together.
#pragma once

#include <deque>
#include <functional>
#include <utility>

#include "base/check.h"
#include "port/clock.h"
#include "port/lanes.h"

namespace semel::sqlite {

class InlineLanes final : public Lanes, public Executor {
 public:
  void start_blocking(Lane, std::move_only_function<void()> work, Done<> done) override {
    waiting_.push_back([this, run = std::move(work), after = std::move(done)]() mutable {
      run();
      post(std::move(after));
    });
  }

  void post(std::move_only_function<void()> f) override { waiting_.push_back(std::move(f)); }

  // Runs everything that waits, and what that starts.
  void drain() {
    constexpr int kStepsMax = 1'000'000;
    for (int step = 0; !waiting_.empty(); ++step) {
      SEMEL_CHECK(step < kStepsMax);
      std::move_only_function<void()> f = std::move(waiting_.front());
      waiting_.pop_front();
      f();
    }
  }

 private:
  std::deque<std::move_only_function<void()>> waiting_;
};

}  // namespace semel::sqlite
