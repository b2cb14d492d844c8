// schedule.cc: the heap of what is to come, the list of what is ready, and the choice among it.
#include "sim/kernel/schedule.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"

namespace semel::sim {
namespace {

constexpr std::uint64_t kStepsMax = 50'000'000;
constexpr PerMillion kPriorityChanges{2'000};  // per step
constexpr PerMillion kStarvedRunsAnyway{5'000};

}  // namespace

std::string_view name_of(Order order) {
  constexpr std::array<std::string_view, kOrders> names{"fifo", "fifo_per_source", "random", "priority", "starvation"};
  return names[static_cast<std::size_t>(order)];
}

Schedule::Schedule(Draw draw, Order order, Trace& trace) : draw_(draw), order_(order), trace_(trace) {}

SourceId Schedule::new_source() { return SourceId{++last_source_}; }

TaskId Schedule::at(SourceId source, MonotonicTime when, std::move_only_function<void()> f) {
  if (dropped_.contains(source)) return TaskId{0};
  const std::uint64_t id = ++last_task_;
  tasks_.emplace(id, Task{source, std::move(f)});
  if (when <= now_)
    ready_.push_back(id);
  else
    future_.push({when, id});
  return TaskId{id};
}

void Schedule::cancel(TaskId task) {
  auto taken = tasks_.extract(task.value);  // destroyed at the end: its closure may come back here
}

void Schedule::drop(SourceId source) {
  dropped_[source] = true;
  std::vector<std::uint64_t> ids;
  for (const auto& [id, task] : tasks_)
    if (task.source == source) ids.push_back(id);
  std::ranges::sort(ids);
  for (const std::uint64_t id : ids) auto taken = tasks_.extract(id);
}

bool Schedule::step(MonotonicTime end) {
  while (true) {
    make_ready();
    if (!ready_.empty()) break;
    while (!future_.empty() && !tasks_.contains(future_.top().id)) future_.pop();
    if (future_.empty() || future_.top().at > end) {
      now_ = std::max(now_, end);
      trace_.set_time(now_);
      return false;
    }
    now_ = future_.top().at;
    trace_.set_time(now_);
  }
  SEMEL_CHECK(++steps_ < kStepsMax);
  const std::size_t chosen = choose();
  const std::uint64_t id = ready_[chosen];
  ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(chosen));
  auto task = tasks_.extract(id);
  trace_.fold(static_cast<std::uint64_t>(now_.ns));
  trace_.fold(task.mapped().source.value);
  task.mapped().run();
  return true;
}

void Schedule::make_ready() {
  while (!future_.empty() && future_.top().at <= now_) {
    ready_.push_back(future_.top().id);
    future_.pop();
  }
  std::erase_if(ready_, [this](std::uint64_t id) { return !tasks_.contains(id); });
  if (stalled_.empty()) return;
  std::erase_if(stalled_, [this](const auto& stall) { return stall.second <= now_; });
  std::erase_if(ready_, [this](std::uint64_t id) {
    const auto stall = stalled_.find(tasks_.at(id).source);
    if (stall == stalled_.end()) return false;
    future_.push({stall->second, id});
    return true;
  });
}

std::size_t Schedule::choose() {
  if (ready_.size() == 1) return 0;
  switch (order_) {
    case Order::fifo:
      return 0;
    case Order::fifo_per_source:
      return oldest_of(source_of(draw_.below(ready_.size())));
    case Order::random:
      return draw_.below(ready_.size());
    case Order::priority: {
      if (draw_.happens(kPriorityChanges)) priorities_.clear();
      std::size_t best = 0;
      for (std::size_t i = 1; i < ready_.size(); ++i)
        if (priority_of(source_of(i)) > priority_of(source_of(best))) best = i;
      return best;
    }
    case Order::starvation: {
      if (!starved_ || draw_.happens(kPriorityChanges)) starved_ = source_of(draw_.below(ready_.size()));
      const std::size_t any = draw_.below(ready_.size());
      if (source_of(any) != *starved_ || draw_.happens(kStarvedRunsAnyway)) return any;
      for (std::size_t i = 0; i < ready_.size(); ++i)
        if (source_of(i) != *starved_) return i;
      return any;
    }
  }
  std::unreachable();
}

std::size_t Schedule::oldest_of(SourceId source) const {
  std::size_t i = 0;
  while (source_of(i) != source) ++i;
  return i;
}

std::uint32_t Schedule::priority_of(SourceId source) {
  const auto [at, is_new] = priorities_.try_emplace(source);
  if (is_new) at->second = static_cast<std::uint32_t>(draw_.below(1'000'000));
  return at->second;
}

}  // namespace semel::sim
