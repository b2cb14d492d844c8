// inbox.h: the receiving half for an application: verifies an incoming event, and applies it in the same transaction
// that records its id.
//
// Invariants: I-NO-DUP-EFFECT, I-ORDER-KEY, I-PARK of core/inbox; and no answer before the commit it speaks of.
// Threads:    synchronous; one thread at a time, with nothing else under way on the handle.
// On a crash: what was not committed is gone whole, effect and record; what was committed and not answered is answered
//             `duplicate` (or `parked`) when it comes again.
#pragma once

#include <sqlite3.h>

#include <deque>
#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "client/inbox_rows.h"
#include "core/inbox/inbox.h"
#include "core/signature/signature.h"

namespace semel::client {

// Whose events they are: the name that dedup goes by, and every key that verifies now (several during rotation).
struct InboxSource {
  std::string name;
  std::vector<signature::VerifierKey> keys;
};

// A request as it came. Of a header that is absent or came more than once the value is empty.
struct Incoming {
  std::string_view webhook_id;
  std::string_view webhook_timestamp;
  std::string_view webhook_signature;
  std::string_view body;
};

// What the application made of an event.
struct EffectMade {};
struct EffectRefused {
  std::string reason;  // for good: the sender is told `rejected`
};
struct EffectPostponed {};  // the sender is told to come again
using EffectAnswer = std::variant<EffectMade, EffectRefused, EffectPostponed>;

// Writes the effect on the inbox's database handle, inside the transaction that is open there, and leaves transaction
// and savepoints alone. What it wrote is undone unless it answers EffectMade. Must not throw.
using ApplyEffect = std::function<EffectAnswer(const inbox::Arrival& arrival, std::string_view body)>;

// 503: surely or possibly nothing was kept; the sender comes again.
inbox::WireAnswer unavailable_answer();

class Inbox {
 public:
  // `db` stays the caller's and outlives the inbox. Makes the inbox's tables there. Fault::conflict: a newer version of
  // this program made them.
  static Result<Inbox> open(sqlite3* db, std::string consumer, std::vector<InboxSource> sources);

  // Judges one event, commits, then drains at most kDrainOnTheWayMax parked ones that waited for it. 401: no source's
  // key verifies it, or its time is outside the window; 400: it contradicts itself; 503: nothing of it was kept, or
  // that is not known.
  inbox::WireAnswer accept(const Incoming& incoming, WallTime now, const ApplyEffect& apply);

  // The same for several in one transaction, in their order, each undone alone; drains nothing. No answer before the
  // commit; when that fails every event in it is answered 503.
  std::vector<inbox::WireAnswer> accept_all(std::span<const Incoming> incoming, WallTime now, const ApplyEffect& apply);

  struct Drained {
    std::size_t applied = 0;
    std::size_t others = 0;  // ended without an effect: duplicate, rejected, superseded
    bool more = false;       // `max` was reached first
  };
  // Takes at most `max` parked events whose turn has come, each in a transaction of its own, lowest first in each line.
  // After opening the first call looks through all lines.
  Drained drain(WallTime now, const ApplyEffect& apply, std::size_t max);

  // Whether a drain() may find something to do.
  bool drain_wanted() const { return look_through_all_ || !lines_.empty(); }

  // Ends what is older than the dedup retention, at most `max` rows of each kind and source.
  Result<void> purge(WallTime now, std::size_t max);

  Result<InboxTotals> totals();

  // Set once a commit's outcome is in doubt or the file is in trouble: from then on everything is answered 503. Close
  // the handle, open the file again, and checkpoint it before the first answer.
  const std::optional<std::string>& broken() const { return broken_; }

 private:
  struct TransactionSql {
    Statement begin, commit, roll_back, savepoint, undo_to_savepoint, release_savepoint;
    static Result<TransactionSql> prepare(sqlite3* db);
  };
  enum class Turn { none, postponed, applied, other };

  Inbox(sqlite3* db, InboxRows rows, std::vector<InboxSource> sources, TransactionSql transaction);

  Result<std::vector<inbox::WireAnswer>> accept_in_one_transaction(std::span<const Incoming> incoming, WallTime now,
                                                                   const ApplyEffect& apply);
  Result<inbox::WireAnswer> accept_one(const Incoming& incoming, WallTime now, const ApplyEffect& apply);
  std::expected<const InboxSource*, signature::Rejection> verify(const Incoming& incoming, WallTime now) const;
  Result<inbox::WireAnswer> carry_out(const inbox::Ruling& ruling, const inbox::Arrival& arrival, std::string_view body,
                                      WallTime now, const ApplyEffect& apply);
  Result<inbox::WireAnswer> make_effect(const inbox::Apply& ruled, const inbox::Arrival& arrival, std::string_view body,
                                        WallTime now, const ApplyEffect& apply);
  Result<void> end_applied(bool moves_position, SourceKey source, const inbox::Arrival& arrival, WallTime now);

  Drained drain_known_lines(WallTime now, const ApplyEffect& apply, std::size_t max);
  Result<Turn> drain_one(const Line& line, WallTime now, const ApplyEffect& apply);
  bool find_lines_with_turn();
  void remember(Line line);

  // Begins, works and commits; on any failure everything is undone.
  Result<void> in_transaction(const std::function<Result<void>()>& work);
  void note_trouble(const Error& error);

  sqlite3* db_;
  InboxRows rows_;
  std::vector<InboxSource> sources_;
  TransactionSql transaction_;
  std::deque<Line> lines_;        // in which something was parked when something arrived; bounded
  bool look_through_all_ = true;  // a line may have its turn without standing in lines_
  std::optional<std::string> broken_;
};

}  // namespace semel::client
