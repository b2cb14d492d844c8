// late.h: commits that their engine does not wait for any more and that are still on their way; a part of the world.
//
// Threads:    one. On a crash: it outlives the incarnations; what comes due while none runs waits for the next one.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "port/store.h"
#include "sim/kernel/schedule.h"

namespace semel::sim {

class Late {
 public:
  Late(Schedule& schedule, SourceId world) : schedule_(schedule), world_(world) {}

  // The store that runs now, below every doubt; nullptr while none does. DoubtfulStore says so itself.
  void runs_on(store::Store* store);
  store::Store* running() const { return store_; }

  // Hands it, as it was made, to the store that runs once `wait` is over. When that process dies before it has
  // committed, it is lost.
  void hold(store::WriteSet write_set, Nanoseconds wait, Done<store::CommitAnswer> done);
  std::size_t waiting() const { return waiting_.size(); }

  // An event of the world.
  void after(Nanoseconds wait, std::move_only_function<void()> f);

 private:
  struct Held {
    std::uint64_t number;
    bool due;
    store::WriteSet write_set;
    Done<store::CommitAnswer> done;
  };
  void came_due(std::uint64_t number);

  Schedule& schedule_;
  SourceId world_;
  store::Store* store_ = nullptr;
  std::vector<Held> waiting_;
  std::uint64_t last_ = 0;
};

}  // namespace semel::sim
