// timer_queue.cc: a binary heap whose entries know their slots, and slots that know their place in the heap.
#include "edge/os/timer_queue.h"

#include <utility>

namespace semel {

// A TimerId is the slot's generation above its number, so an old id never names a slot's next timer.
TimerId TimerQueue::start(MonotonicTime at, Done<> done) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t number = free_slots_.back();
  free_slots_.pop_back();
  Slot& slot = slots_[number];
  slot.done = std::move(done);
  slot.heap_index = static_cast<std::uint32_t>(heap_.size());
  heap_.push_back({at, next_order_++, number});
  sift_up(heap_.size() - 1);
  return TimerId{(static_cast<std::uint64_t>(slot.generation) << 32) | number};
}

void TimerQueue::stop(TimerId timer) {
  const auto number = static_cast<std::uint32_t>(timer.value);
  const auto generation = static_cast<std::uint32_t>(timer.value >> 32);
  if (number >= slots_.size() || slots_[number].generation != generation) return;
  remove(slots_[number].heap_index);
}

std::optional<MonotonicTime> TimerQueue::earliest() const {
  if (heap_.empty()) return std::nullopt;
  return heap_.front().at;
}

Done<> TimerQueue::take_due(MonotonicTime now, std::uint64_t mark) {
  if (heap_.empty() || heap_.front().at > now || heap_.front().order >= mark) return {};
  return remove(0);
}

Done<> TimerQueue::remove(std::size_t index) {
  const std::uint32_t number = heap_[index].slot;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (index < heap_.size()) {
    place(index, last);
    sift_up(index);
    sift_down(slots_[last.slot].heap_index);
  }
  Slot& slot = slots_[number];
  ++slot.generation;
  if (slot.generation == 0) slot.generation = 1;  // an id of 0 names no timer
  free_slots_.push_back(number);
  return std::exchange(slot.done, nullptr);
}

void TimerQueue::place(std::size_t index, const Entry& entry) {
  heap_[index] = entry;
  slots_[entry.slot].heap_index = static_cast<std::uint32_t>(index);
}

void TimerQueue::sift_up(std::size_t index) {
  const Entry moving = heap_[index];
  while (index > 0) {
    const std::size_t parent = (index - 1) / 2;
    if (!before(moving, heap_[parent])) break;
    place(index, heap_[parent]);
    index = parent;
  }
  place(index, moving);
}

void TimerQueue::sift_down(std::size_t index) {
  const Entry moving = heap_[index];
  for (;;) {
    std::size_t child = 2 * index + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child])) ++child;
    if (!before(heap_[child], moving)) break;
    place(index, heap_[child]);
    index = child;
  }
  place(index, moving);
}

}  // namespace semel
