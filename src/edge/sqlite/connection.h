// connection.h: one SQLite connection, opened the way a store of ours must be.
//
// Every connection: synchronous=FULL, no automatic checkpoint, none on close. Errors are kept, not thrown: the
// first one stays as failure() and every later statement does nothing until it is cleared, so that a transaction can be
// written as a list of steps and judged once at its end.
// Threads: one at a time.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace semel::sqlite {

// `normal` loses acknowledged commits with the power; it is here for the test that shows so.
enum class Synchronous : std::uint8_t { full, normal };
// Only a foreign process can make us wait.
inline constexpr int kBusyTimeoutMs = 2'000;

enum class Access : std::uint8_t { write, read };

struct ConnectionOptions {
  std::string path;
  std::optional<std::string> vfs;  // none: the operating system's files
  Access access = Access::write;
  Synchronous synchronous = Synchronous::full;
  int cache_kib = 16 * 1024;
};

// What went wrong, by what follows from it.
enum class Trouble : std::uint8_t {
  constraint,  // the statement broke a rule of the schema; it changed nothing
  full,        // no space
  busy,        // another process holds the file
  broken,      // input, output, memory or corruption: nothing in memory can be trusted any longer
};
struct Failure {
  Trouble trouble;
  int code;  // SQLite's extended one
  std::string note;
};
Trouble trouble_of(int code);

class Connection {
 public:
  // Fault::invalid: not a database; Fault::busy: another process holds it; Fault::unavailable: else.
  static Result<std::unique_ptr<Connection>> open(const ConnectionOptions& options);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  sqlite3* handle() { return handle_; }

  const std::optional<Failure>& failure() const { return failure_; }
  void clear_failure() { failure_.reset(); }
  void note_failure(int code);  // keeps the first
  // The failure as an Error, cleared; success when there is none.
  Result<void> take_failure();

  // Any number of statements without parameters. False (and failure() set) on an error.
  bool execute(const std::string& sql);
  std::int64_t pragma_number(const std::string& pragma);  // 0 on failure

  // The file keeps its changes in a write-ahead log from now on, for every connection.
  bool use_log();

  bool begin_immediate() { return execute("BEGIN IMMEDIATE"); }
  bool begin_snapshot() { return execute("BEGIN"); }
  bool commit() { return execute("COMMIT"); }
  void rollback();  // does nothing outside a transaction; keeps failure()

  // Called inside each commit that wrote to the log, with the number of frames the log then holds.
  void on_commit(std::move_only_function<void(int frames)> hook);

  struct Checkpointed {
    int log_frames;
    int copied_frames;
    bool full_copy() const { return log_frames == copied_frames; }
  };
  // SQLITE_CHECKPOINT_*. nullopt: another connection stood in the way, or failure() says why.
  std::optional<Checkpointed> checkpoint(int mode);

 private:
  explicit Connection(sqlite3* handle) : handle_(handle) {}
  Result<void> configure(const ConnectionOptions& options);

  sqlite3* handle_;
  std::optional<Failure> failure_;
  std::move_only_function<void(int)> hook_;
};

}  // namespace semel::sqlite
