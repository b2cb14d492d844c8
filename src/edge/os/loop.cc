// loop.cc: the loop's three parts: the queue of posted functions, the timers behind one timerfd, and running them.
#include "edge/os/loop.h"

#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "edge/os/timer_queue.h"
#include "edge/os/watch.h"

namespace semel {

namespace {

constexpr std::int64_t kResolutionNs = 1'000'000;
constexpr unsigned kInlineCompletionsInARow = 31;

std::int64_t read_clock_ns(clockid_t clock) {
  timespec time{};
  SEMEL_CHECK(clock_gettime(clock, &time) == 0);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

struct TimerDescriptor {
  clockid_t clock = CLOCK_BOOTTIME;
  int fd;

  TimerDescriptor() : fd(timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC)) {
    if (fd >= 0) return;
    clock = CLOCK_MONOTONIC;
    fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    SEMEL_CHECK(fd >= 0);
  }
  TimerDescriptor(const TimerDescriptor&) = delete;
  TimerDescriptor& operator=(const TimerDescriptor&) = delete;
  ~TimerDescriptor() { close(fd); }

  void set(std::int64_t at_ns) const {
    itimerspec at{};
    at.it_value.tv_sec = at_ns / 1'000'000'000;
    at.it_value.tv_nsec = at_ns % 1'000'000'000;
    SEMEL_CHECK(timerfd_settime(fd, TFD_TIMER_ABSTIME, &at, nullptr) == 0);
  }
  void take_expiry() const {
    std::uint64_t expiries = 0;
    [[maybe_unused]] const ssize_t size = read(fd, &expiries, sizeof expiries);  // nothing to take after a re-arm
  }
};

}  // namespace

// Only the loop's thread touches descriptors; other threads only post. Hence the hint: no locks around I/O.
struct Loop::State {
  boost::asio::io_context io{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  std::atomic<bool> stopping = false;

  std::mutex mutex;
  std::vector<std::move_only_function<void()>> posted;  // guarded by mutex
  bool turn_scheduled = false;                          // guarded by mutex
  std::vector<std::move_only_function<void()>> turn;    // what run_posted works on, from turn_next
  std::size_t turn_next = 0;

  TimerQueue timers;
  TimerDescriptor descriptor;
  std::optional<std::int64_t> armed_ns;
  bool firing_posted = false;
  std::optional<Watch> watch;

  unsigned completed_inline = 0;
};

Loop::Loop() : state_(std::make_unique<State>()) { state_->watch.emplace(*this, state_->descriptor.fd); }

Loop::~Loop() = default;

void Loop::post(std::move_only_function<void()> f) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->posted.push_back(std::move(f));
    if (std::exchange(state_->turn_scheduled, true)) return;
  }
  boost::asio::post(state_->io, [this] { run_posted(); });
}

void Loop::run_posted() {
  State& state = *state_;
  if (state.turn_next == state.turn.size()) {
    state.turn.clear();
    state.turn_next = 0;
    const std::lock_guard lock(state.mutex);
    state.turn.swap(state.posted);
  }
  while (state.turn_next < state.turn.size() && !state.stopping) {
    auto f = std::move(state.turn[state.turn_next++]);
    f();
  }
  {
    const std::lock_guard lock(state.mutex);
    state.turn_scheduled = state.turn_next < state.turn.size() || !state.posted.empty();
    if (!state.turn_scheduled) return;
  }
  boost::asio::post(state.io, [this] { run_posted(); });
}

MonotonicTime Loop::now() const { return {read_clock_ns(state_->descriptor.clock)}; }

WallTime Loop::wall() const { return {read_clock_ns(CLOCK_REALTIME) / 1'000'000}; }

TimerId Loop::start_timer(MonotonicTime at, Done<> done) {
  const TimerId timer = state_->timers.start(at, std::move(done));
  arm();
  return timer;
}

void Loop::stop_timer(TimerId timer) { state_->timers.stop(timer); }

// Setting the timerfd is by far the dearest part of a timer, so it is set only when something is due before the moment
// it stands at; a wake-up for a timer that was stopped meanwhile costs less.
void Loop::arm() {
  State& state = *state_;
  const auto earliest = state.timers.earliest();
  if (!earliest || state.firing_posted) return;
  const std::int64_t at_ns = (earliest->ns + kResolutionNs - 1) / kResolutionNs * kResolutionNs;
  if (state.armed_ns && *state.armed_ns <= at_ns) return;
  if (*earliest <= now()) {
    state.firing_posted = true;
    post([this] {
      state_->firing_posted = false;
      fire_due();
    });
    return;
  }
  state.descriptor.set(at_ns);
  if (!std::exchange(state.armed_ns, at_ns)) {
    state.watch->wait(Watch::For::reading, [this] {
      state_->descriptor.take_expiry();
      state_->armed_ns.reset();
      fire_due();
    });
  }
}

void Loop::fire_due() {
  const MonotonicTime until = now();
  const std::uint64_t mark = state_->timers.mark();
  while (!state_->stopping) {
    Done<> done = state_->timers.take_due(until, mark);
    if (!done) break;
    done();
  }
  arm();
}

void Loop::run() noexcept {
  state_->io.restart();
  if (!state_->stopping) {
    const auto work = boost::asio::make_work_guard(state_->io);
    state_->io.run();
  }
  state_->stopping = false;
}

void Loop::stop() {
  state_->stopping = true;
  state_->io.stop();
}

bool Loop::may_complete_inline() {
  if (state_->completed_inline++ < kInlineCompletionsInARow) return true;
  state_->completed_inline = 0;
  return false;
}

boost::asio::io_context& Loop::io() { return state_->io; }

}  // namespace semel
