// memory_clock.h: virtual time and turns for tests. Time moves only when a test runs the clock; what is due at the same
// moment runs in the order it was asked for.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "port/clock.h"
#include "port/scope.h"

namespace semel::http::testing {

class MemoryClock final : public Clock, public Executor {
 public:
  MonotonicTime now() const override { return now_; }
  WallTime wall() const override {
    return WallTime{1'796'025'951'000} + std::chrono::floor<milliseconds>(now_ - MonotonicTime{});
  }

  TimerId start_timer(MonotonicTime at, Done<> done) override {
    const TimerId id{++last_};
    queue_.emplace(Slot{std::max(at, now_), id.value}, std::move(done));
    at_.emplace(id.value, std::max(at, now_));
    return id;
  }
  void stop_timer(TimerId timer) override {
    const auto at = at_.find(timer.value);
    if (at == at_.end()) return;
    queue_.erase(Slot{at->second, timer.value});
    at_.erase(at);
  }
  void post(std::move_only_function<void()> f) override { start_timer(now_, std::move(f)); }

  void after(milliseconds wait, std::move_only_function<void()> f) { start_timer(now_ + wait, std::move(f)); }
  std::size_t waiting() const { return queue_.size(); }
  // What was to run never does: its process is gone.
  void drop_all() {
    queue_.clear();
    at_.clear();
  }

  // False when nothing waits.
  bool step() {
    if (queue_.empty()) return false;
    SEMEL_CHECK(++steps_ < kStepsMax);
    auto first = queue_.extract(queue_.begin());
    at_.erase(first.key().second);
    now_ = first.key().first;
    first.mapped()();
    return true;
  }
  // Runs everything due up to `wait` from now, and ends there.
  void run_for(milliseconds wait) {
    const MonotonicTime end = now_ + wait;
    while (!queue_.empty() && queue_.begin()->first.first <= end) step();
    now_ = end;
  }
  // Runs what is due now and what follows from it without time passing.
  void settle() { run_for(milliseconds(0)); }

  // Runs until `body` has ended.
  template <class T>
  T run(Co<T> body) {
    std::optional<T> result;
    Scope scope;
    scope.spawn(keep(std::move(body), result));
    while (!result && step()) {
    }
    SEMEL_CHECK(result.has_value());
    return *std::move(result);
  }

 private:
  static constexpr std::uint64_t kStepsMax = 10'000'000;
  using Slot = std::pair<MonotonicTime, std::uint64_t>;

  template <class T>
  static Co<void> keep(Co<T> body, std::optional<T>& result) {
    result.emplace(co_await std::move(body));
  }

  MonotonicTime now_;
  std::uint64_t last_ = 0;
  std::uint64_t steps_ = 0;
  std::map<Slot, Done<>> queue_;
  std::unordered_map<std::uint64_t, MonotonicTime> at_;
};

}  // namespace semel::http::testing
