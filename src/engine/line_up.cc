// line_up.cc: see line_up.h. From the top: how a delivery enters, is chosen, and comes back.
#include "engine/line_up.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/match.h"
#include "base/planted.h"
#include "base/probe.h"

namespace semel::engine {

// The deliveries of one endpoint.
struct EndpointQueue {
  EndpointKey endpoint;
  endpoint::Ordering ordering;
  admission::Window window;
  std::deque<DeliveryKey> ready;  // may hold keys of entries that have left; they are passed over
  // Ordering keys with something open or dead: by sequence.
  std::unordered_map<LineKey, std::map<Sequence, Entry*>> lines;
  std::size_t ready_count = 0;
  std::uint32_t in_flight = 0;
  bool in_turns = false;
  std::optional<MonotonicTime> deferred_until;
  WallTime deferred_until_wall{};  // the same moment, as the window knows it
};

namespace {

std::optional<WallTime> due_time(const delivery::State& state) {
  using Due = std::optional<WallTime>;
  return match(
      state, [](const delivery::Due& due) -> Due { return due.at; },
      [](const delivery::Unknown& unknown) -> Due { return unknown.at; },
      [](const delivery::Parked& parked) -> Due { return parked.ask_at; },
      [](const delivery::InFlight&) -> Due { return std::nullopt; },
      [](const delivery::Delivered&) -> Due { return std::nullopt; },
      [](const delivery::Dead&) -> Due { return std::nullopt; },
      [](const delivery::Cancelled&) -> Due { return std::nullopt; });
}

MonotonicTime to_monotonic(WallTime at, MonotonicTime now, WallTime wall) { return now + Nanoseconds(at - wall); }

}  // namespace

LineUp::LineUp() = default;
LineUp::~LineUp() = default;

void LineUp::add_endpoint(EndpointKey key, endpoint::Ordering ordering, admission::Window window) {
  std::unique_ptr<EndpointQueue>& queue = queues_[key];
  if (queue) return;
  queue = std::make_unique<EndpointQueue>(
      EndpointQueue{.endpoint = key, .ordering = ordering, .window = window, .ready = {}, .lines = {}});
}

void LineUp::remove_endpoint(EndpointKey key) {
  const auto queue = queues_.find(key);
  if (queue == queues_.end()) return;
  std::vector<Entry*> theirs;
  for (const auto& [delivery, entry] : entries_)
    if (entry->queue == queue->second.get()) theirs.push_back(entry.get());
  for (Entry* entry : theirs) {
    if (entry->place == Entry::Place::taken) {
      probe::reached<"line_up.endpoint_removed_under_an_attempt">();
      entry->abandoned = true;
      entry->queue = nullptr;
    } else {
      leave_place(*entry);
      entries_.erase(entry->delivery.key);
    }
  }
  if (queue->second->deferred_until) deferred_.erase({*queue->second->deferred_until, key});
  std::erase(turns_, key);
  queues_.erase(queue);
}

admission::Window& LineUp::window(Entry& entry) {
  SEMEL_CHECK(entry.queue);
  return entry.queue->window;
}

bool LineUp::insert(store::Delivery delivery, std::shared_ptr<const store::EventBody> body, MonotonicTime now,
                    WallTime wall) {
  const auto queue = queues_.find(delivery.endpoint);
  if (queue == queues_.end() || entries_.contains(delivery.key)) return false;
  const std::optional<WallTime> due = due_time(delivery.state);
  const bool dead = std::holds_alternative<delivery::Dead>(delivery.state);
  SEMEL_CHECK(due || dead);
  if (dead && queue->second->ordering != endpoint::Ordering::per_key) return false;

  auto owned = std::make_unique<Entry>();
  Entry& entry = *owned;
  entry.delivery = std::move(delivery);
  entry.body = std::move(body);
  entry.queue = queue->second.get();
  if (due) entry.due = to_monotonic(*due, now, wall);
  if (entry.delivery.line) entry.queue->lines[*entry.delivery.line].emplace(*entry.delivery.sequence, &entry);
  entries_.emplace(entry.delivery.key, std::move(owned));
  if (dead)
    entry.place = Entry::Place::over;
  else
    place(entry, now);
  return true;
}

Entry* LineUp::find(DeliveryKey key) {
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : found->second.get();
}

Entry* LineUp::next(MonotonicTime now, WallTime wall) {
  while (!waiting_.empty() && waiting_.begin()->first <= now) {
    Entry& entry = *entries_.at(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    make_ready(entry);
  }
  const auto wait_is_over = [&](const auto& deferred) {
    return deferred.first <= now ||
           (planted(Planted::wall_jump_ends_a_wait) && queues_.at(deferred.second)->deferred_until_wall <= wall);
  };
  while (!deferred_.empty() && wait_is_over(*deferred_.begin())) {
    end_deferral(*queues_.at(deferred_.begin()->second));
  }
  while (!turns_.empty() && taken_ < (planted(Planted::slow_endpoint_holds_all) ? 1 : kInFlightMax)) {
    EndpointQueue& queue = *queues_.at(turns_.front());
    turns_.pop_front();
    queue.in_turns = false;
    probe::sometimes<"line_up.endpoints_take_turns">(!turns_.empty());
    const admission::Window::Admission admission = queue.window.admit(queue.in_flight, wall);
    if (const auto* wait = std::get_if<admission::Window::Defer>(&admission)) {
      probe::reached<"line_up.endpoint_waits">();
      defer(queue, wait->until, now, wall);
      continue;
    }
    if (std::holds_alternative<admission::Window::Full>(admission)) continue;
    while (!queue.ready.empty()) {
      Entry* entry = find(queue.ready.front());
      queue.ready.pop_front();
      if (!entry || entry->place != Entry::Place::ready) continue;
      leave_ready(*entry);
      ++taken_;
      probe::sometimes<"line_up.several_in_flight">(taken_ > 1);
      take_place(*entry);
      entry->place = Entry::Place::taken;
      entry->predecessor_closed = false;
      entry->window_generation = queue.window.generation();
      offer(queue);
      return entry;
    }
  }
  return nullptr;
}

bool LineUp::take(Entry& entry) {
  if (entry.place == Entry::Place::taken) return false;
  leave_place(entry);
  ++taken_;
  entry.place = Entry::Place::taken;
  return true;
}

void LineUp::answered(Entry& entry) {
  if (entry.abandoned) return;
  free_place(entry);
  offer(*entry.queue);
}

void LineUp::ended(Entry& entry, MonotonicTime now, WallTime wall) {
  SEMEL_CHECK(entry.place == Entry::Place::taken);
  --taken_;
  if (entry.abandoned) {
    entries_.erase(entry.delivery.key);
    return;
  }
  EndpointQueue& queue = *entry.queue;
  free_place(entry);
  const std::optional<WallTime> due = due_time(entry.delivery.state);
  const bool parked = std::holds_alternative<delivery::Parked>(entry.delivery.state);
  probe::sometimes<"line_up.predecessor_closed_meanwhile">(parked && entry.predecessor_closed);
  if (due) {
    entry.due = parked && entry.predecessor_closed ? now : to_monotonic(*due, now, wall);
    place(entry, now);
  } else if (std::holds_alternative<delivery::Dead>(entry.delivery.state) && entry.delivery.line &&
             queue.ordering == endpoint::Ordering::per_key && !planted(Planted::dead_does_not_hold_its_key)) {
    probe::reached<"line_up.dead_holds_its_key">();
    entry.place = Entry::Place::over;
    entry.body.reset();
  } else {
    let_go(entry, now);
  }
  offer(queue);
}

void LineUp::put_back(Entry& entry, MonotonicTime not_before) {
  SEMEL_CHECK(entry.place == Entry::Place::taken);
  --taken_;
  if (entry.abandoned) {
    entries_.erase(entry.delivery.key);
    return;
  }
  free_place(entry);
  probe::reached<"line_up.put_back">();
  entry.due = not_before;
  if (is_held_back(entry)) {
    entry.place = Entry::Place::held_back;
  } else {
    entry.place = Entry::Place::waiting;
    waiting_.emplace(entry.due, entry.delivery.key);
  }
  offer(*entry.queue);
}

std::optional<MonotonicTime> LineUp::next_wake() const {
  std::optional<MonotonicTime> wake;
  if (!waiting_.empty()) wake = waiting_.begin()->first;
  if (!deferred_.empty() && (!wake || deferred_.begin()->first < *wake)) wake = deferred_.begin()->first;
  return wake;
}

// Where an open entry belongs now.
void LineUp::place(Entry& entry, MonotonicTime now) {
  if (is_held_back(entry)) {
    probe::reached<"line_up.held_back">();
    entry.place = Entry::Place::held_back;
  } else if (entry.due > now) {
    entry.place = Entry::Place::waiting;
    waiting_.emplace(entry.due, entry.delivery.key);
  } else {
    make_ready(entry);
  }
  if (entry.delivery.line && entry.queue->ordering == endpoint::Ordering::per_key) hold_back_next(entry);
}

// A lower sequence that opened (a replay does that) holds back the one that led its line until now.
void LineUp::hold_back_next(const Entry& entry) {
  const std::map<Sequence, Entry*>& line = entry.queue->lines.at(*entry.delivery.line);
  const auto above = line.upper_bound(*entry.delivery.sequence);
  if (above == line.end()) return;
  Entry& next = *above->second;
  if (next.place == Entry::Place::ready || next.place == Entry::Place::waiting) {
    probe::reached<"line_up.opens_below_the_head_of_its_line">();
    leave_place(next);
  }
}

void LineUp::make_ready(Entry& entry) {
  entry.place = Entry::Place::ready;
  ++entry.queue->ready_count;
  if (!entry.queue->deferred_until) ++sendable_;
  entry.queue->ready.push_back(entry.delivery.key);
  offer(*entry.queue);
}

void LineUp::leave_ready(Entry& entry) {
  --entry.queue->ready_count;
  if (!entry.queue->deferred_until) --sendable_;
}

// The endpoint waits: none of its deliveries is sendable until then.
void LineUp::defer(EndpointQueue& queue, WallTime until, MonotonicTime now, WallTime wall) {
  queue.deferred_until = to_monotonic(until, now, wall);
  queue.deferred_until_wall = until;
  deferred_.emplace(*queue.deferred_until, queue.endpoint);
  sendable_ -= queue.ready_count;
}

// Its wait is over by the clock that never steps, whatever the wall says.
void LineUp::end_deferral(EndpointQueue& queue) {
  deferred_.erase({*queue.deferred_until, queue.endpoint});
  queue.deferred_until.reset();
  queue.window.wait_is_over(queue.deferred_until_wall);
  sendable_ += queue.ready_count;
  offer(queue);
}

// Out of the queue it stands in; afterwards it is held back until it is placed again.
void LineUp::leave_place(Entry& entry) {
  if (entry.place == Entry::Place::waiting) waiting_.erase({entry.due, entry.delivery.key});
  if (entry.place == Entry::Place::ready) leave_ready(entry);
  entry.place = Entry::Place::held_back;
}

void LineUp::leave_line(const Entry& entry) {
  if (!entry.delivery.line) return;
  const auto line = entry.queue->lines.find(*entry.delivery.line);
  line->second.erase(*entry.delivery.sequence);
  if (line->second.empty()) entry.queue->lines.erase(line);
}

// A delivery that is over leaves memory.
void LineUp::let_go(Entry& entry, MonotonicTime now) {
  EndpointQueue& queue = *entry.queue;
  const store::Delivery gone = entry.delivery;
  leave_line(entry);
  entries_.erase(gone.key);
  const bool closed =
      !std::holds_alternative<delivery::Dead>(gone.state) || planted(Planted::dead_does_not_hold_its_key);
  if (gone.line && closed) line_moves(queue, *gone.line, *gone.sequence, now);
}

// A sequence closed: who names it as predecessor is asked at once if it is parked, and who it held back may go. A
// delivery names the one before it of its line, so only the next one up can name what closed.
void LineUp::line_moves(EndpointQueue& queue, LineKey key, Sequence closed, MonotonicTime now) {
  const auto found = queue.lines.find(key);
  if (found == queue.lines.end()) return;
  const std::map<Sequence, Entry*>& line = found->second;
  if (const auto next = line.upper_bound(closed); next != line.end() && next->second->delivery.after == closed) {
    Entry& follower = *next->second;
    follower.predecessor_closed = follower.place == Entry::Place::taken;
    if (follower.place == Entry::Place::waiting && std::holds_alternative<delivery::Parked>(follower.delivery.state)) {
      probe::reached<"line_up.parked_is_asked_at_once">();
      leave_place(follower);
      follower.due = now;
      place(follower, now);
    }
  }
  Entry& head = *line.begin()->second;
  probe::sometimes<"line_up.next_of_the_key_may_go">(head.place == Entry::Place::held_back);
  if (head.place == Entry::Place::held_back) place(head, now);
}

bool LineUp::is_held_back(const Entry& entry) const {
  if (!entry.delivery.line || entry.queue->ordering != endpoint::Ordering::per_key) return false;
  return entry.queue->lines.at(*entry.delivery.line).begin()->first < *entry.delivery.sequence;
}

void LineUp::take_place(Entry& entry) {
  entry.holds_place = true;
  ++entry.queue->in_flight;
}

void LineUp::free_place(Entry& entry) {
  if (std::exchange(entry.holds_place, false)) --entry.queue->in_flight;
}

// Gives the queue a turn when it has something ready. Whether it has room is asked when its turn comes.
void LineUp::offer(EndpointQueue& queue) {
  if (queue.in_turns || queue.deferred_until || queue.ready.empty()) return;
  queue.in_turns = true;
  turns_.push_back(queue.endpoint);
}

}  // namespace semel::engine
