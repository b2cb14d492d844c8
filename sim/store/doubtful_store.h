// doubtful_store.h: between the engine and a store: commits that are lost, in doubt or late, or die with their process.
//
// Fates:     commit_lost: Refused, or Unknown and not there. commit_doubt: Unknown and there. commit_late: Unknown, and
//            handed to the store of whatever incarnation runs some time later, with the fence it was made under
//            (the dead incarnation's commit). crash_in_commit: never answered; the process dies with it applied, not
//            applied or applied late. Which strike is drawn by sim/kernel/faults.h. Of those lost or in doubt a few are
//            fatal: told so, then everything is refused and the process is killed.
// Lateness:  a store that says "it may be there" has decided by then, unless a version keeps what comes later apart. So
//            what its engine looks for just once (an intake, a replay, a new endpoint) is through before its Unknown is
//            told; and what carries no fence and has to be loaded to be known (an intake, a new endpoint) is lost with
//            its process. Everything else comes at any time.
// Threads:   one. On a crash: destroyed with answers outstanding; nothing is called afterwards. Late stays.
#pragma once

#include <functional>
#include <memory>

#include "port/clock.h"
#include "port/store.h"
#include "sim/kernel/faults.h"
#include "sim/store/late.h"

namespace semel::sim {

enum class CommitFate : std::uint8_t { told, lost, in_doubt, late, died };

// Sees every write-set as it is asked for and as the store below judged it. What was asked for and is never done was
// lost, or its process died before the answer: it may be there.
class CommitObserver {
 public:
  virtual ~CommitObserver() = default;
  virtual void commit_asked(const store::WriteSet& write_set, Fence by) = 0;
  // `answer` is what the store below said; with fate `told` also what the engine hears. Not called for `lost`.
  virtual void commit_done(const store::WriteSet& write_set, Fence by, CommitFate fate,
                           const store::CommitAnswer& answer) = 0;
};

class DoubtfulStore final : public store::Store {
 public:
  // From here on `late` hands what comes due to `below`. `crash` asks the world to kill this process once its current
  // turn is over.
  DoubtfulStore(std::unique_ptr<store::Store> below, Executor& executor, Faults& faults, Late& late,
                CommitObserver& observer, std::function<void()> crash);
  ~DoubtfulStore() override;

  void start_commit(store::WriteSet write_set, Done<store::CommitAnswer> done) override;
  void start_reading(std::move_only_function<void(store::StoreReader&)> read, Done<Nothing> done) override;
  Fence fence() const override { return below_->fence(); }

 private:
  struct Strike {
    FaultClass fault;
    Draw details;
  };
  std::optional<Strike> draw_fate();

  void tell_truth(store::WriteSet write_set, Done<store::CommitAnswer> done);
  void lose(Done<store::CommitAnswer> done, Draw details);
  void leave_in_doubt(store::WriteSet write_set, Done<store::CommitAnswer> done, Draw details);
  void come_late(store::WriteSet write_set, Done<store::CommitAnswer> done, Draw details);
  void die_with(store::WriteSet write_set, Draw details);

  // The store below does it, and the observer hears how.
  void do_below(store::WriteSet write_set, CommitFate fate, Done<store::CommitAnswer> then);
  void do_late(store::WriteSet write_set, Nanoseconds wait, Done<> then);
  void tell(Done<store::CommitAnswer> done, store::CommitAnswer answer);
  store::Unknown unknown(Draw& details);

  std::unique_ptr<store::Store> below_;
  Executor& executor_;
  Faults& faults_;
  Late& late_;
  CommitObserver& observer_;
  std::function<void()> crash_;
  bool failed_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>();  // what was posted before the end does nothing after it
};

}  // namespace semel::sim
