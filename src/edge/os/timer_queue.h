// timer_queue.h: which waits end next. A heap of moments, each with what to call then.
//
// Starting and stopping cost a few steps in the heap, so a deadline per request is cheap although most never fire.
// Never reads a clock. Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "port/clock.h"

namespace semel {

class TimerQueue {
 public:
  TimerId start(MonotonicTime at, Done<> done);
  void stop(TimerId timer);  // does nothing for a timer that was taken or stopped

  std::optional<MonotonicTime> earliest() const;
  std::size_t size() const { return heap_.size(); }

  // Timers started after a mark are not taken with it: what fires cannot keep one turn going for ever.
  std::uint64_t mark() const { return next_order_; }
  // The done of one timer with at <= now that was started before `mark`; earlier ones first, those of one moment in
  // the order they were started. An empty function when there is none.
  Done<> take_due(MonotonicTime now, std::uint64_t mark);

 private:
  struct Entry {
    MonotonicTime at;
    std::uint64_t order;
    std::uint32_t slot;
  };
  struct Slot {
    Done<> done;
    std::uint32_t heap_index = 0;
    std::uint32_t generation = 1;
  };
  static bool before(const Entry& a, const Entry& b) { return a.at != b.at ? a.at < b.at : a.order < b.order; }
  void place(std::size_t index, const Entry& entry);
  void sift_up(std::size_t index);
  void sift_down(std::size_t index);
  Done<> remove(std::size_t index);

  std::vector<Entry> heap_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::uint64_t next_order_ = 0;
};

}  // namespace semel
