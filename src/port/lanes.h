// lanes.h: where blocking work goes. Each lane runs its work one after another on a thread of its own; the simulator
// runs it inline.
#pragma once

#include <functional>

#include "port/co.h"

namespace semel {

// `writer`, `reader` and `checkpoint` belong to the store, `inbox` to semel listen.
enum class Lane { writer, reader, checkpoint, inbox };
inline constexpr int kLaneCount = 4;

class Lanes {
 public:
  virtual ~Lanes() = default;
  // Runs `work` on the lane, then `done` on the loop. Any thread may call. Never refuses: who calls bounds what waits.
  virtual void start_blocking(Lane lane, std::move_only_function<void()> work, Done<> done) = 0;
};

}  // namespace semel
