// prompt_lanes.h: lanes for tests with a clock of their own: blocking work runs at once, its end is told in a later
// turn.
#pragma once

#include <functional>
#include <utility>

#include "port/clock.h"
#include "port/lanes.h"

namespace semel::testing_support {

class PromptLanes final : public Lanes {
 public:
  explicit PromptLanes(Executor& executor) : executor_(executor) {}
  void start_blocking(Lane, std::move_only_function<void()> work, Done<> done) override {
    work();
    executor_.post(std::move(done));
  }

 private:
  Executor& executor_;
};

}  // namespace semel::testing_support
