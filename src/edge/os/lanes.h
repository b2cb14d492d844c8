// lanes.h: port/lanes.h on threads, one per lane, each started with its lane's first work.
//
// Lifetime:   destroying it lets all queued work finish and joins the threads; each `done` is still handed to the
//             executor, which must outlive this.
// On a crash: queued work is lost, which is why nobody speaks before its work is done.
#pragma once

#include <array>
#include <memory>

#include "port/clock.h"
#include "port/lanes.h"

namespace semel {

class ThreadLanes final : public Lanes {
 public:
  explicit ThreadLanes(Executor& executor);
  ThreadLanes(const ThreadLanes&) = delete;
  ThreadLanes& operator=(const ThreadLanes&) = delete;
  ~ThreadLanes() override;

  void start_blocking(Lane lane, std::move_only_function<void()> work, Done<> done) override;

 private:
  class Thread;
  std::array<std::unique_ptr<Thread>, kLaneCount> threads_;
};

}  // namespace semel
