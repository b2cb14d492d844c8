// process.cc: loop, timers and lanes as tasks of the schedule.
#include "sim/kernel/process.h"

#include "base/check.h"

namespace semel::sim {

Process::Process(std::string name, Schedule& schedule, const WallClock& wall)
    : name_(std::move(name)), schedule_(schedule), wall_(wall), loop_(schedule.new_source()) {
  for (LaneState& lane : lanes_) lane.source = schedule.new_source();
}

WallTime Process::wall() const { return wall_.at(schedule_.now()); }

TimerId Process::start_timer(MonotonicTime at, Done<> done) {
  // Resolution is a millisecond, never early (port/clock.h).
  constexpr std::int64_t kTick = 1'000'000;
  const MonotonicTime rounded{(at.ns + kTick - 1) / kTick * kTick};
  return TimerId{schedule_.at(loop_, rounded, std::move(done)).value};
}

void Process::post(std::move_only_function<void()> f) { schedule_.soon(loop_, std::move(f)); }

void Process::start_blocking(Lane lane, std::move_only_function<void()> work, Done<> done) {
  if (!alive_) return work();
  state_of(lane).waiting.push_back({std::move(work), std::move(done)});
  schedule_.soon(state_of(lane).source, [this, lane] { turn(lane); });
}

// Each job brought a turn of its own; one that ran inside another lane's work left a turn without a job.
void Process::turn(Lane lane) { run_one(lane); }

bool Process::run_one(Lane lane) {
  LaneState& state = state_of(lane);
  if (state.running || state.waiting.empty()) return false;
  state.running = true;
  Job job = std::move(state.waiting.front());
  state.waiting.pop_front();
  job.work();
  state.running = false;
  post(std::move(job.done));
  return true;
}

void Process::stall(MonotonicTime until) {
  schedule_.stall(loop_, until);
  for (const LaneState& lane : lanes_) schedule_.stall(lane.source, until);
}

void Process::kill() {
  if (!std::exchange(alive_, false)) return;
  schedule_.drop(loop_);
  for (LaneState& lane : lanes_) {
    SEMEL_CHECK(!lane.running);
    schedule_.drop(lane.source);
    while (!lane.waiting.empty()) {
      Job job = std::move(lane.waiting.front());
      lane.waiting.pop_front();
      job.work();
    }
  }
}

}  // namespace semel::sim
