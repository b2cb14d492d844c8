// doubtful_store.cc: one fate for each commit.
#include "sim/store/doubtful_store.h"

#include <utility>

#include "base/match.h"

namespace semel::sim {
namespace {

constexpr std::uint64_t kOneInSoManyIsFatal = 16;
constexpr std::uint64_t kOneInSoManyIsVeryLate = 8;
constexpr Nanoseconds kLate{5'000'000'000};
constexpr Nanoseconds kVeryLate{60'000'000'000};

Nanoseconds draw_wait(Draw& details) {
  const Nanoseconds most = details.below(kOneInSoManyIsVeryLate) == 0 ? kVeryLate : kLate;
  return Nanoseconds(details.between(0, most.count()));
}

// When a commit may come that nobody waits for.
enum class Lateness : std::uint8_t {
  any_time,
  before_its_answer,  // while its process lives; after that any time
  with_its_process,   // before its answer, and never after its process
};

Lateness lateness_of(const store::WriteSet& write_set) {
  using enum Lateness;
  return match(
      write_set, [](const store::Intake&) { return with_its_process; },
      [](const store::StartAttempt&) { return any_time; }, [](const store::SettleAttempt&) { return any_time; },
      [](const store::LateOutcome&) { return any_time; },
      [](const store::ChangeDelivery&) { return before_its_answer; },
      [](const store::CreateEndpoint&) { return with_its_process; },
      [](const store::DeleteEndpoint&) { return any_time; }, [](const store::CreateSubscription&) { return any_time; },
      [](const store::DeleteSubscription&) { return any_time; }, [](const store::CreateApiKey&) { return any_time; },
      [](const store::DeleteApiKey&) { return any_time; });
}

}  // namespace

DoubtfulStore::DoubtfulStore(std::unique_ptr<store::Store> below, Executor& executor, Faults& faults, Late& late,
                             CommitObserver& observer, std::function<void()> crash)
    : below_(std::move(below)),
      executor_(executor),
      faults_(faults),
      late_(late),
      observer_(observer),
      crash_(std::move(crash)) {
  late_.runs_on(below_.get());
}

DoubtfulStore::~DoubtfulStore() {
  if (late_.running() == below_.get()) late_.runs_on(nullptr);
}

void DoubtfulStore::start_reading(std::move_only_function<void(store::StoreReader&)> read, Done<Nothing> done) {
  below_->start_reading(std::move(read), std::move(done));
}

void DoubtfulStore::start_commit(store::WriteSet write_set, Done<store::CommitAnswer> done) {
  if (failed_) return tell(std::move(done), store::Refused{{Fault::unavailable, "the store has failed"}});
  observer_.commit_asked(write_set, fence());
  std::optional<Strike> strike = draw_fate();
  if (!strike) return tell_truth(std::move(write_set), std::move(done));
  if (strike->fault == FaultClass::crash_in_commit) return die_with(std::move(write_set), strike->details);
  if (strike->fault == FaultClass::commit_lost) return lose(std::move(done), strike->details);
  if (strike->fault == FaultClass::commit_doubt)
    return leave_in_doubt(std::move(write_set), std::move(done), strike->details);
  come_late(std::move(write_set), std::move(done), strike->details);
}

// Every commit is an occasion of every class, so that one fault less does not renumber the others; the first that
// strikes counts.
std::optional<DoubtfulStore::Strike> DoubtfulStore::draw_fate() {
  std::optional<Strike> first;
  for (const FaultClass fault :
       {FaultClass::crash_in_commit, FaultClass::commit_lost, FaultClass::commit_doubt, FaultClass::commit_late}) {
    if (!faults_.has(fault)) continue;
    std::optional<Draw> details = faults_.strike(fault);
    if (details && !first) first = Strike{fault, *details};
  }
  return first;
}

void DoubtfulStore::tell_truth(store::WriteSet write_set, Done<store::CommitAnswer> done) {
  do_below(std::move(write_set), CommitFate::told, std::move(done));
}

void DoubtfulStore::lose(Done<store::CommitAnswer> done, Draw details) {
  if (details.below(2) == 0) return tell(std::move(done), unknown(details));
  const Fault fault = details.below(2) == 0 ? Fault::unavailable : Fault::busy;
  tell(std::move(done), store::Refused{{fault, "refused by the world"}});
}

void DoubtfulStore::leave_in_doubt(store::WriteSet write_set, Done<store::CommitAnswer> done, Draw details) {
  do_below(std::move(write_set), CommitFate::in_doubt,
           [this, told = std::move(done), doubt = unknown(details)](const store::CommitAnswer&) mutable {
             tell(std::move(told), std::move(doubt));
           });
}

void DoubtfulStore::come_late(store::WriteSet write_set, Done<store::CommitAnswer> done, Draw details) {
  const Nanoseconds wait = draw_wait(details);
  const store::Unknown doubt{{Fault::unknown_outcome, "late by the world"}, false};
  switch (lateness_of(write_set)) {
    case Lateness::any_time: {
      const Nanoseconds heard = details.below(2) == 0 ? Nanoseconds(0) : draw_wait(details);
      late_.after(heard, [this, alive = std::weak_ptr(alive_), told = std::move(done), doubt]() mutable {
        if (!alive.expired()) tell(std::move(told), doubt);
      });
      return do_late(std::move(write_set), wait, [] {});
    }
    case Lateness::before_its_answer:
      return do_late(std::move(write_set), wait,
                     [this, alive = std::weak_ptr(alive_), told = std::move(done), doubt]() mutable {
                       if (!alive.expired()) tell(std::move(told), doubt);
                     });
    case Lateness::with_its_process:
      return late_.after(wait, [this, alive = std::weak_ptr(alive_), late = std::move(write_set),
                                told = std::move(done), doubt]() mutable {
        if (alive.expired()) return;
        do_below(std::move(late), CommitFate::late,
                 [this, heard = std::move(told), doubt](const store::CommitAnswer&) mutable {
                   tell(std::move(heard), doubt);
                 });
      });
  }
}

void DoubtfulStore::die_with(store::WriteSet write_set, Draw details) {
  enum class Death : std::uint8_t { applied, not_applied, applied_late };
  const bool never_late = lateness_of(write_set) == Lateness::with_its_process;
  switch (static_cast<Death>(details.below(never_late ? 2 : 3))) {
    case Death::applied:
      return do_below(std::move(write_set), CommitFate::died, [this](const store::CommitAnswer&) { crash_(); });
    case Death::not_applied:
      return crash_();
    case Death::applied_late:
      do_late(std::move(write_set), draw_wait(details), [] {});
      return crash_();
  }
}

void DoubtfulStore::do_below(store::WriteSet write_set, CommitFate fate, Done<store::CommitAnswer> then) {
  store::WriteSet handed = write_set;
  below_->start_commit(std::move(handed), [this, alive = std::weak_ptr(alive_), asked = std::move(write_set), fate,
                                           after = std::move(then)](store::CommitAnswer answer) mutable {
    if (alive.expired()) return;
    observer_.commit_done(asked, fence(), fate, answer);
    after(std::move(answer));
  });
}

// By whatever store runs then; so nothing of this one is used when it is done.
void DoubtfulStore::do_late(store::WriteSet write_set, Nanoseconds wait, Done<> then) {
  store::WriteSet handed = write_set;
  late_.hold(std::move(handed), wait,
             [&observer = observer_, asked = std::move(write_set), by = fence(),
              after = std::move(then)](const store::CommitAnswer& answer) mutable {
               observer.commit_done(asked, by, CommitFate::late, answer);
               after();
             });
}

void DoubtfulStore::tell(Done<store::CommitAnswer> done, store::CommitAnswer answer) {
  executor_.post([this, alive = std::weak_ptr(alive_), told = std::move(done), given = std::move(answer)]() mutable {
    if (alive.expired()) return;
    const auto* doubt = std::get_if<store::Unknown>(&given);
    const bool fatal = doubt && doubt->fatal;
    told(std::move(given));
    if (fatal) crash_();
  });
}

store::Unknown DoubtfulStore::unknown(Draw& details) {
  failed_ = failed_ || details.below(kOneInSoManyIsFatal) == 0;
  return {{Fault::unknown_outcome, "in doubt by the world"}, failed_};
}

}  // namespace semel::sim
