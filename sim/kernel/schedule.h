// schedule.h: virtual time and the order in which things happen. One thread; what is ready at the same moment runs in
// an order that the seed draws; time in which nothing is ready is skipped.
//
// Each task belongs to a source (a process's loop, one of its lanes, a link, the world). Modes permute across sources
// and, but for fifo_per_source, within them.
// Trap:      bytes of one stream must not overtake each other: who schedules them gives them times that strictly rise.
// Lifetime:  a task of a source that was dropped is destroyed without running.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/strong.h"
#include "base/time.h"
#include "sim/kernel/draw.h"
#include "sim/kernel/trace.h"

namespace semel::sim {

using SourceId = Strong<struct SourceIdTag, std::uint32_t>;
using TaskId = Strong<struct TaskIdTag, std::uint64_t>;  // 0 names no task

enum class Order : std::uint8_t {
  fifo,             // as they were asked for
  fifo_per_source,  // sources take turns by chance, each in its own order
  random,           // any
  priority,         // sources have drawn priorities, which change at drawn steps
  starvation,       // one drawn source runs only when nothing else is ready, or after many steps
};
inline constexpr int kOrders = 5;
std::string_view name_of(Order order);

class Schedule {
 public:
  Schedule(Draw draw, Order order, Trace& trace);
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;

  MonotonicTime now() const { return now_; }

  SourceId new_source();
  // Runs `f` at `when` (or now, when that has passed), never inside this call.
  TaskId at(SourceId source, MonotonicTime when, std::move_only_function<void()> f);
  TaskId soon(SourceId source, std::move_only_function<void()> f) { return at(source, now_, std::move(f)); }
  void cancel(TaskId task);
  // Destroys every task of the source; later ones of it are destroyed at once.
  void drop(SourceId source);
  // Its tasks do not run before `until`.
  void stall(SourceId source, MonotonicTime until) { stalled_[source] = until; }

  // Runs one task. False: none is left, or none is due up to `end`; then now() is `end`.
  bool step(MonotonicTime end);

  std::uint64_t steps() const { return steps_; }
  std::size_t waiting() const { return tasks_.size(); }

 private:
  struct Task {
    SourceId source;
    std::move_only_function<void()> run;
  };
  struct Due {
    MonotonicTime at;
    std::uint64_t id;
    friend auto operator<=>(const Due&, const Due&) = default;
  };

  void make_ready();
  std::size_t choose();
  std::size_t oldest_of(SourceId source) const;
  std::uint32_t priority_of(SourceId source);
  SourceId source_of(std::size_t ready) const { return tasks_.at(ready_[ready]).source; }

  Draw draw_;
  Order order_;
  Trace& trace_;
  MonotonicTime now_;
  std::uint64_t last_task_ = 0;
  std::uint32_t last_source_ = 0;
  std::uint64_t steps_ = 0;
  std::unordered_map<std::uint64_t, Task> tasks_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> future_;
  std::vector<std::uint64_t> ready_;  // ids in the order in which they became ready; may name cancelled ones
  std::map<SourceId, MonotonicTime> stalled_;
  std::map<SourceId, bool> dropped_;
  std::map<SourceId, std::uint32_t> priorities_;
  std::optional<SourceId> starved_;
};

}  // namespace semel::sim
