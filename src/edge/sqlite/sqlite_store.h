// sqlite_store.h: port/store.h on one SQLite file.
//
// One writer connection commits everything that is queued in one transaction; reads and checkpoints have connections
// and lanes of their own. The library's version decides nothing here: the rule that keeps older ones from corrupting
// the file is followed always (checkpoint_rule.h).
// Invariants: I-ACK-DURABLE, I-FENCE; I-FSYNC-PANIC  after an I/O error or a failed fsync nothing is answered any more
//             but refusals, and `on_fatal` is told: the process has to end.
// Threads:    as port/store.h says.
// Lifetime:   destroy the store before the lanes; it waits for its own work on them.
// On a crash: the next process that opens the file gets a higher fence; the log is copied into the file, and that has
//             to succeed, before anything is answered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "edge/sqlite/checkpointer.h"
#include "edge/sqlite/connection.h"
#include "port/clock.h"
#include "port/entropy.h"
#include "port/lanes.h"
#include "port/secrets.h"
#include "port/store.h"

namespace semel::sqlite {

// What may wait for the writer; beyond either, start_commit answers Refused, busy.
inline constexpr std::size_t kQueuedWriteSetsMax = 16'384;
inline constexpr std::size_t kQueuedBytesMax = 128u << 20;  // of producers' data
inline constexpr std::uint64_t kLogBytesMaxDefault = 256u << 20;

struct SqliteOptions {
  std::string path;
  Secrets& secrets;  // seals the fingerprint key of the tenant `default` when the store is made
  Entropy& entropy;  // draws it
  std::uint64_t log_bytes_max = kLogBytesMaxDefault;  // of the write-ahead log
  int checkpoint_frames = kStartFrames;               // its growth that starts a checkpoint beside the writer
  std::optional<std::string> vfs;                     // a registered SQLite VFS; none: the operating system's files
  Synchronous synchronous = Synchronous::full;
  // Runs on the loop, once, when the process has to end.
  std::move_only_function<void(std::string)> on_fatal;
};

struct Opened {
  std::unique_ptr<store::Store> store;
  bool created;  // the file was made just now
};

// Takes the store: locks PATH.lock, checks the schema, copies the log into the file and raises the fences.
// Fault::busy: another process has it (its id is in the note). Fault::invalid: written by a newer version, or not a
// store; then the file is as it was. Fault::unavailable: else.
Result<Opened> open_sqlite_store(SqliteOptions options, Lanes& lanes, Executor& executor);

}  // namespace semel::sqlite
