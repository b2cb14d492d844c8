// connection.cc: opening, transactions and checkpoints of one connection.
#include "edge/sqlite/connection.h"

#include <fmt/core.h>

#include <utility>

namespace semel::sqlite {
namespace {

// Small short-lived pieces of memory come from a block of the connection's own.
constexpr int kSmallBytes = 1'200;
constexpr int kSmallCount = 250;

Fault fault_of(const Failure& failure) {
  if ((failure.code & 0xFF) == SQLITE_NOTADB) return Fault::invalid;
  if ((failure.code & 0xFF) == SQLITE_CORRUPT) return Fault::corrupt;
  switch (failure.trouble) {
    case Trouble::constraint:
      return Fault::corrupt;
    case Trouble::full:
      return Fault::unavailable;
    case Trouble::busy:
      return Fault::busy;
    case Trouble::broken:
      return Fault::unavailable;
  }
  std::unreachable();
}

}  // namespace

Trouble trouble_of(int code) {
  switch (code & 0xFF) {
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
      return Trouble::constraint;
    case SQLITE_FULL:
      return Trouble::full;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Trouble::busy;
    default:
      return Trouble::broken;
  }
}

Result<std::unique_ptr<Connection>> Connection::open(const ConnectionOptions& options) {
  // Its own memory statistics would take a lock at each allocation. Refused, and then without effect, where the process
  // has used the library before.
  static const int without_statistics = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  static_cast<void>(without_statistics);
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                    (options.access == Access::write ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(options.path.c_str(), &handle, flags, options.vfs ? options.vfs->c_str() : nullptr);
  std::unique_ptr<Connection> connection(new Connection(handle));
  if (code != SQLITE_OK) {
    const std::string why = handle ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
    return fail(Fault::unavailable, fmt::format("cannot open {}: {}", options.path, why));
  }
  if (const Result<void> configured = connection->configure(options); !configured)
    return fail(configured.error().fault, fmt::format("cannot open {}: {}", options.path, configured.error().note));
  return connection;
}

Result<void> Connection::configure(const ConnectionOptions& options) {
  sqlite3_busy_timeout(handle_, kBusyTimeoutMs);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_LOOKASIDE, nullptr, kSmallBytes, kSmallCount);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  execute(options.synchronous == Synchronous::full ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL");
  execute("PRAGMA wal_autocheckpoint=0");
  execute("PRAGMA temp_store=MEMORY");
  execute(fmt::format("PRAGMA cache_size=-{}", options.cache_kib));
  if (options.access == Access::read) execute("PRAGMA query_only=1");
  return take_failure();
}

Connection::~Connection() { sqlite3_close_v2(handle_); }

void Connection::note_failure(int code) {
  if (failure_) return;
  const int extended =
      (sqlite3_extended_errcode(handle_) & 0xFF) == (code & 0xFF) ? sqlite3_extended_errcode(handle_) : code;
  failure_ = Failure{trouble_of(code), extended, sqlite3_errmsg(handle_)};
}

Result<void> Connection::take_failure() {
  if (!failure_) return {};
  const Failure failure = *std::exchange(failure_, std::nullopt);
  return fail(fault_of(failure), fmt::format("SQLite {}: {}", failure.code, failure.note));
}

bool Connection::execute(const std::string& sql) {
  if (failure_) return false;
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) note_failure(code);
  return code == SQLITE_OK;
}

bool Connection::use_log() { return execute("PRAGMA journal_mode=WAL"); }

std::int64_t Connection::pragma_number(const std::string& pragma) {
  if (failure_) return 0;
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v2(handle_, ("PRAGMA " + pragma).c_str(), -1, &statement, nullptr);
  std::int64_t number = 0;
  if (code == SQLITE_OK) {
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW) number = sqlite3_column_int64(statement, 0);
    if (code != SQLITE_ROW && code != SQLITE_DONE) note_failure(code);
    sqlite3_finalize(statement);
  } else {
    note_failure(code);
  }
  return number;
}

void Connection::rollback() {
  if (sqlite3_get_autocommit(handle_)) return;
  const int code = sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) note_failure(code);
}

void Connection::on_commit(std::move_only_function<void(int)> hook) {
  hook_ = std::move(hook);
  sqlite3_wal_hook(
      handle_,
      [](void* self, sqlite3*, const char*, int frames) {
        static_cast<Connection*>(self)->hook_(frames);
        return SQLITE_OK;
      },
      this);
}

std::optional<Connection::Checkpointed> Connection::checkpoint(int mode) {
  if (failure_) return std::nullopt;
  Checkpointed done{};
  const int code = sqlite3_wal_checkpoint_v2(handle_, "main", mode, &done.log_frames, &done.copied_frames);
  if (code == SQLITE_OK) return done;
  if (trouble_of(code) != Trouble::busy) note_failure(code);
  return std::nullopt;
}

}  // namespace semel::sqlite
