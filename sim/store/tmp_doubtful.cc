#include "sim/store/doubtful_store.h"
namespace semel::sim {
void Late::runs_on(store::Store* store) { store_ = store; }
void Late::hold(store::WriteSet, Nanoseconds, std::move_only_function<void(store::CommitAnswer)>) {}
DoubtfulStore::DoubtfulStore(std::unique_ptr<store::Store> b, Executor& e, Faults& f, Late& l, CommitObserver& o,
                             std::function<void()> c)
    : below_(std::move(b)), executor_(e), faults_(f), late_(l), observer_(o), crash_(c) {}
DoubtfulStore::~DoubtfulStore() = default;
void DoubtfulStore::start_commit(store::WriteSet ws, Done<store::CommitAnswer> done) {
  observer_.commit_asked(ws, below_->fence());
  auto copy = std::make_shared<store::WriteSet>(ws);
  below_->start_commit(std::move(ws), [this, copy, d = std::move(done)](store::CommitAnswer a) mutable {
    observer_.commit_done(*copy, below_->fence(), CommitFate::told, a);
    d(std::move(a));
  });
}
void DoubtfulStore::start_reading(std::move_only_function<void(store::StoreReader&)> r, Done<Nothing> d) {
  below_->start_reading(std::move(r), std::move(d));
}
}  // namespace semel::sim
