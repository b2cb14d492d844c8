// process.h: what one incarnation of a node's process sees of the machine: its clock, its loop and its lanes.
//
// A killed process runs nothing any more: what it posts is destroyed, its timers never fire. Blocking work is run as a
// task of its lane, whole, in one turn.
// Lifetime:  kill() before anything that its tasks refer to is destroyed. Never from inside a task of this process.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>

#include "port/clock.h"
#include "port/lanes.h"
#include "sim/kernel/schedule.h"

namespace semel::sim {

// The wall clock of one machine; it outlives the processes there.
struct WallClock {
  WallTime at_start;
  milliseconds offset{0};

  WallTime at(MonotonicTime now) const {
    return at_start + offset + std::chrono::floor<milliseconds>(now - MonotonicTime{});
  }
};

class Process final : public Clock, public Executor, public Lanes {
 public:
  Process(std::string name, Schedule& schedule, const WallClock& wall);
  ~Process() override { kill(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  const std::string& name() const { return name_; }
  bool alive() const { return alive_; }

  MonotonicTime now() const override { return schedule_.now(); }
  WallTime wall() const override;
  TimerId start_timer(MonotonicTime at, Done<> done) override;
  void stop_timer(TimerId timer) override { schedule_.cancel(TaskId{timer.value}); }
  void post(std::move_only_function<void()> f) override;
  void start_blocking(Lane lane, std::move_only_function<void()> work, Done<> done) override;

  // Does not get to run for a while: none of its loop and lanes.
  void stall(MonotonicTime until);

  // From now on nothing of it runs but the work that its lanes hold, which is run here so that who waits for it ends;
  // the caller has taken away disk and network before.
  void kill();

  // Runs what waits on a lane now, inside the work of another lane (for a checkpoint that races the writer). False:
  // nothing waits there, or that lane is the one that runs.
  bool run_one(Lane lane);

 private:
  struct Job {
    std::move_only_function<void()> work;
    Done<> done;
  };
  struct LaneState {
    SourceId source;
    std::deque<Job> waiting;
    bool running = false;
  };
  LaneState& state_of(Lane lane) { return lanes_[static_cast<std::size_t>(lane)]; }
  void turn(Lane lane);

  std::string name_;
  Schedule& schedule_;
  const WallClock& wall_;
  bool alive_ = true;
  SourceId loop_;
  std::array<LaneState, kLaneCount> lanes_;
};

}  // namespace semel::sim
