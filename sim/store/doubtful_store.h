// doubtful_store.h: between the engine and a store: commits whose outcome is lost, late, or told wrongly to nobody.
//
// Fates:     commit_lost: Refused, or Unknown and not there. commit_doubt: Unknown and there. commit_late: Unknown now,
//            and handed to the store of whatever incarnation runs some time later, with the fence it was made under
//            (the dead incarnation's commit). crash_in_commit: never answered; the process dies with it applied, not
//            applied or applied late. Which strike is drawn by sim/kernel/faults.h.
// Threads:   one. On a crash: Late outlives the incarnation.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "port/store.h"
#include "sim/kernel/faults.h"
#include "sim/kernel/schedule.h"

namespace semel::sim {

enum class CommitFate : std::uint8_t { told, lost, in_doubt, late, died };

// Sees every write-set as it is asked for and as the store below judged it.
class CommitObserver {
 public:
  virtual ~CommitObserver() = default;
  virtual void commit_asked(const store::WriteSet& write_set, Fence by) = 0;
  // `answer` is what the store below said; with fate `told` also what the engine hears. Not called for `lost`.
  virtual void commit_done(const store::WriteSet& write_set, Fence by, CommitFate fate,
                           const store::CommitAnswer& answer) = 0;
};

// Commits of dead incarnations that are still on their way; a part of the world.
class Late {
 public:
  Late(Schedule& schedule, SourceId world) : schedule_(schedule), world_(world) {}
  // The store that runs now; nullptr while none does (what comes due then waits for the next one).
  void runs_on(store::Store* store);
  void hold(store::WriteSet write_set, Nanoseconds wait, std::move_only_function<void(store::CommitAnswer)> done);
  std::size_t waiting() const { return waiting_.size(); }

 private:
  void due(std::uint64_t number);

  Schedule& schedule_;
  SourceId world_;
  store::Store* store_ = nullptr;
  struct Held {
    std::uint64_t number;
    bool due;
    store::WriteSet write_set;
    std::move_only_function<void(store::CommitAnswer)> done;
  };
  std::vector<Held> waiting_;
  std::uint64_t last_ = 0;
};

class DoubtfulStore final : public store::Store {
 public:
  // `crash` asks the world to kill this process once its current turn is over.
  DoubtfulStore(std::unique_ptr<store::Store> below, Executor& executor, Faults& faults, Late& late,
                CommitObserver& observer, std::function<void()> crash);
  ~DoubtfulStore() override;

  void start_commit(store::WriteSet write_set, Done<store::CommitAnswer> done) override;
  void start_reading(std::move_only_function<void(store::StoreReader&)> read, Done<Nothing> done) override;
  Fence fence() const override { return below_->fence(); }

 private:
  std::unique_ptr<store::Store> below_;
  Executor& executor_;
  Faults& faults_;
  Late& late_;
  CommitObserver& observer_;
  std::function<void()> crash_;
};

}  // namespace semel::sim
