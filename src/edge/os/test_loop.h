// test_loop.h: for tests: a loop that gives up after ten seconds instead of hanging.
#pragma once

#include <chrono>

#include "edge/os/loop.h"

namespace semel {

class TestLoop {
 public:
  Loop loop;

  // True when something called loop.stop() in time.
  bool run() {
    bool gave_up = false;
    const TimerId guard = loop.start_timer(loop.now() + std::chrono::seconds(10), [&] {
      gave_up = true;
      loop.stop();
    });
    loop.run();
    loop.stop_timer(guard);
    return !gave_up;
  }
};

}  // namespace semel
