// late.cc: what waits, by number, so that events of the world never point into it.
#include "sim/store/late.h"

#include <algorithm>
#include <utility>

namespace semel::sim {

void Late::runs_on(store::Store* store) {
  store_ = store;
  if (!store_) return;
  for (const Held& held : waiting_)
    if (held.due) schedule_.soon(world_, [this, number = held.number] { came_due(number); });
}

void Late::hold(store::WriteSet write_set, Nanoseconds wait, Done<store::CommitAnswer> done) {
  const std::uint64_t number = ++last_;
  waiting_.push_back({number, false, std::move(write_set), std::move(done)});
  after(wait, [this, number] { came_due(number); });
}

void Late::after(Nanoseconds wait, std::move_only_function<void()> f) {
  schedule_.at(world_, schedule_.now() + wait, std::move(f));
}

void Late::came_due(std::uint64_t number) {
  const auto found = std::ranges::find(waiting_, number, &Held::number);
  if (found == waiting_.end()) return;
  found->due = true;
  if (!store_) return;
  Held held = std::move(*found);
  waiting_.erase(found);
  store_->start_commit(std::move(held.write_set), std::move(held.done));
}

}  // namespace semel::sim
