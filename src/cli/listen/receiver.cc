// receiver.cc: the receiver's file.
#include "cli/listen/receiver.h"

#include <sqlite3.h>

#include <utility>

namespace semel::cli {
namespace {

constexpr int kLogFramesMax = 1'000;
constexpr std::size_t kPurgeAtOnce = 10'000;
constexpr milliseconds kPurgeEvery = std::chrono::hours(1);

// A checkpoint before the first answer: after an earlier failed sync, pages may look clean that are not on the disk.
Result<std::unique_ptr<sqlite::Connection>> open_database(const std::string& path,
                                                          const std::optional<std::string>& vfs) {
  SEMEL_TRY(connection, sqlite::Connection::open({.path = path, .vfs = vfs}));
  connection->use_log();
  const auto checkpointed = connection->checkpoint(SQLITE_CHECKPOINT_TRUNCATE);
  SEMEL_TRY_VOID(connection->take_failure());
  if (!checkpointed) return fail(Fault::busy, path + " is held open by another program");
  return connection;
}

}  // namespace

Result<std::unique_ptr<Receiver>> Receiver::open(ReceiverOptions options) {
  SEMEL_TRY(lock, sqlite::LockFile::take(options.database + ".lock"));
  SEMEL_TRY(connection, open_database(options.database, options.vfs));
  sqlite3* const db = connection->handle();
  SEMEL_TRY(inbox, client::Inbox::open(db, std::move(options.consumer), std::move(options.sources)));
  SEMEL_TRY(effects, EffectBook::open(db, std::move(options.effects)));
  std::optional<Ledger> ledger;
  if (options.ledger) {
    SEMEL_TRY(opened, Ledger::open(*options.ledger));
    SEMEL_TRY_VOID(effects.copy_to(opened));
    ledger.emplace(std::move(opened));
  }
  return std::unique_ptr<Receiver>(
      new Receiver(std::move(lock), std::move(connection), std::move(inbox), std::move(effects), std::move(ledger)));
}

Receiver::Receiver(sqlite::LockFile lock, std::unique_ptr<sqlite::Connection> connection, client::Inbox inbox,
                   EffectBook effects, std::optional<Ledger> ledger)
    : lock_(std::move(lock)),
      connection_(std::move(connection)),
      inbox_(std::move(inbox)),
      effects_(std::move(effects)),
      ledger_(std::move(ledger)),
      apply_([this](const inbox::Arrival& arrival, std::string_view body) { return effects_.write(arrival, body); }) {
  connection_->on_commit([this](int frames) { log_frames_ = frames; });
}

std::vector<inbox::WireAnswer> Receiver::receive(std::span<const client::Incoming> incoming, WallTime now) {
  std::vector<inbox::WireAnswer> answers = inbox_.accept_all(incoming, now, apply_);
  if (!complete_ledger()) answers.assign(incoming.size(), client::unavailable_answer());
  purge_now_and_then(now);
  keep_log_short();
  return answers;
}

bool Receiver::drain(WallTime now) {
  const client::Inbox::Drained drained = inbox_.drain(now, apply_, inbox::kDrainOnTheWayMax);
  const bool written = complete_ledger();
  keep_log_short();
  return drained.more && written;
}

// False: committed effects are not in the ledger yet, so nothing may be said of them. The next call tries again.
bool Receiver::complete_ledger() {
  if (!ledger_ || broken()) return !broken();
  const Result<void> copied = effects_.copy_to(*ledger_);
  if (!copied && copied.error().fault != Fault::unavailable) broken_ = copied.error().note;
  return copied.has_value();
}

// One connection: nothing commits while it copies, and nobody reads, so the next commit begins the log anew.
void Receiver::keep_log_short() {
  if (log_frames_ < kLogFramesMax || broken()) return;
  log_frames_ = 0;
  connection_->checkpoint(SQLITE_CHECKPOINT_PASSIVE);
  const Result<void> outcome = connection_->take_failure();
  if (!outcome) broken_ = outcome.error().note;
}

// One that fails is tried again an hour later; trouble with the file shows in broken().
void Receiver::purge_now_and_then(WallTime now) {
  if (purged_at_ && now - *purged_at_ < kPurgeEvery) return;
  purged_at_ = now;
  static_cast<void>(inbox_.purge(now, kPurgeAtOnce));
}

Result<ReceiverTotals> Receiver::totals() {
  SEMEL_TRY(effects, effects_.last_effect_no());
  SEMEL_TRY(inbox, inbox_.totals());
  return ReceiverTotals{static_cast<std::uint64_t>(effects), inbox};
}

}  // namespace semel::cli
