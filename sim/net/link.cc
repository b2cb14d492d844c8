// link.cc: latency, and what waits while a link is blocked.
#include "sim/net/link.h"

#include <algorithm>
#include <bit>

namespace semel::sim {
namespace {

using std::chrono::microseconds;

// About exponential, in whole numbers so that every machine draws the same: the count of leading zeros, and a fraction.
Nanoseconds exponential(Draw& draw, Nanoseconds mean) {
  const std::uint64_t bits = draw.next();
  const auto in_1024ths = static_cast<std::int64_t>(std::countl_zero(bits | 1) * 1024 + (bits & 1023));
  return mean * in_1024ths / 1536;
}

}  // namespace

Link::Link(Schedule& schedule, Draw draw)
    : schedule_(schedule),
      draw_(draw),
      source_(schedule.new_source()),
      least_(microseconds(draw_.skewed(50, 9))),
      mean_more_(microseconds(draw_.skewed(20, 10))) {}

Nanoseconds Link::latency() { return healed_ ? least_ : least_ + exponential(draw_, mean_more_); }

void Link::block(Fault fault, MonotonicTime until) {
  fault_ = fault;
  blocked_until_ = std::max(blocked_until_, until);
  if (!std::exchange(open_is_scheduled_, true)) open_when_due();
}

void Link::open_when_due() {
  schedule_.at(source_, blocked_until_, [this] {
    if (is_blocked()) return open_when_due();
    open_is_scheduled_ = false;
    release();
  });
}

void Link::travel(Nanoseconds delay, std::move_only_function<void()> f) {
  schedule_.at(source_, schedule_.now() + latency() + delay, [this, f = std::move(f)]() mutable {
    if (is_blocked()) return hold(std::move(f));
    f();
  });
}

void Link::hold(std::move_only_function<void()> f) { held_.emplace(++last_held_, Held{.f = std::move(f)}); }

void Link::release() {
  for (auto& [number, held] : held_) {
    if (held.due.value != 0) continue;
    const Nanoseconds wait =
        fault_ == Fault::clog || healed_ ? latency() : Nanoseconds(milliseconds(draw_.skewed(50, 6)));
    held.due = schedule_.at(source_, schedule_.now() + wait, [this, which = number] { run(which); });
  }
}

void Link::run(std::uint64_t number) {
  if (is_blocked()) {
    held_.at(number).due = TaskId{0};
    return;
  }
  auto held = held_.extract(number);
  held.mapped().f();
}

void Link::heal() {
  healed_ = true;
  blocked_until_ = schedule_.now();
  for (auto& [number, held] : held_) schedule_.cancel(std::exchange(held.due, TaskId{0}));
  release();
}

}  // namespace semel::sim
