// receiver.h: the inbox of `semel listen` on a file of its own: lock, database, effects and ledger. Blocking; lives on
// Lane::inbox.
//
// Invariant:  no answer before its commit and its line in the ledger.
// On a crash: what was committed is found at the next opening, and the ledger is completed from it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "cli/listen/effect_book.h"
#include "client/inbox.h"
#include "edge/sqlite/connection.h"
#include "edge/sqlite/lock_file.h"

namespace semel::cli {

struct ReceiverOptions {
  std::string database;
  std::string consumer;
  std::vector<client::InboxSource> sources;
  std::optional<std::string> ledger;
  EffectRules effects;
  std::optional<std::string> vfs{};  // a registered SQLite VFS; none: the operating system's files
};

struct ReceiverTotals {
  std::uint64_t effects = 0;
  client::InboxTotals inbox;
};

class Receiver {
 public:
  // Fault::busy: another process works on the file; the note names it. Fault::conflict: a newer version wrote the file,
  // or the ledger is another one's.
  static Result<std::unique_ptr<Receiver>> open(ReceiverOptions options);

  std::vector<inbox::WireAnswer> receive(std::span<const client::Incoming> incoming, WallTime now);

  // Takes some parked events whose turn has come. True: there are more.
  bool drain(WallTime now);
  bool drain_wanted() const { return inbox_.drain_wanted(); }

  Result<ReceiverTotals> totals();

  // Set once the file can no longer be trusted: the process must end.
  const std::optional<std::string>& broken() const { return broken_ ? broken_ : inbox_.broken(); }

 private:
  Receiver(sqlite::LockFile lock, std::unique_ptr<sqlite::Connection> connection, client::Inbox inbox,
           EffectBook effects, std::optional<Ledger> ledger);

  bool complete_ledger();
  void keep_log_short();
  void purge_now_and_then(WallTime now);

  sqlite::LockFile lock_;
  std::unique_ptr<sqlite::Connection> connection_;
  client::Inbox inbox_;
  EffectBook effects_;
  std::optional<Ledger> ledger_;
  client::ApplyEffect apply_;
  int log_frames_ = 0;
  std::optional<WallTime> purged_at_;
  std::optional<std::string> broken_;
};

}  // namespace semel::cli
