// floor_store.cc: prepared statements, group commit without a timer, synchronous FULL, checkpoints beside the writer.
#include "pipeline/floor_store.h"

#include <sqlite3.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "base/check.h"

namespace semel::bench {
namespace {

constexpr int kCheckpointFrames = 4'000;  // 16 MB
constexpr int kWalFramesMax = 64 * 1024;  // 256 MB: beyond it the writer itself resets the log

constexpr const char* kSchema = R"sql(
CREATE TABLE event (id INTEGER PRIMARY KEY, tenant INTEGER NOT NULL, event_id TEXT NOT NULL, type TEXT NOT NULL,
  accepted_at INTEGER NOT NULL, envelope BLOB NOT NULL, UNIQUE (tenant, event_id)) STRICT;
CREATE TABLE delivery (id INTEGER PRIMARY KEY, event INTEGER NOT NULL, endpoint INTEGER NOT NULL, state INTEGER NOT NULL,
  version INTEGER NOT NULL, settled_at INTEGER) STRICT;
CREATE TABLE attempt (id INTEGER PRIMARY KEY, delivery INTEGER NOT NULL, number INTEGER NOT NULL,
  started_at INTEGER NOT NULL) STRICT;
CREATE TABLE attempt_outcome (id INTEGER PRIMARY KEY, attempt INTEGER NOT NULL, at INTEGER NOT NULL, result TEXT NOT NULL,
  http_status INTEGER NOT NULL) STRICT;
)sql";

sqlite3* open(const std::string& path) {
  sqlite3* db = nullptr;
  SEMEL_CHECK(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
  SEMEL_CHECK(sqlite3_exec(db,
                           "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0;"
                           "PRAGMA cache_size=-65536;",
                           nullptr, nullptr, nullptr) == SQLITE_OK);
  return db;
}

class Statement {
 public:
  Statement(sqlite3* db, const char* sql) {
    SEMEL_CHECK(sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr) == SQLITE_OK);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  template <class... Values>
  void run(const Values&... values) {
    int index = 0;
    (bind(++index, values), ...);
    SEMEL_CHECK(sqlite3_step(statement_) == SQLITE_DONE);
    sqlite3_reset(statement_);
  }

 private:
  void bind(int index, std::int64_t value) { sqlite3_bind_int64(statement_, index, value); }
  void bind(int index, const std::string& text) {
    sqlite3_bind_text(statement_, index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }
  void bind(int index, std::pair<const void*, std::size_t> blob) {
    sqlite3_bind_blob(statement_, index, blob.first, static_cast<int>(blob.second), SQLITE_STATIC);
  }
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace

struct FloorStore::State {
  std::function<void(std::vector<NewEvent>)> committed;
  sqlite3* writer = nullptr;
  sqlite3* checkpointer = nullptr;

  std::mutex mutex;
  std::condition_variable queued;
  std::vector<NewEvent> events;
  std::vector<SettledDelivery> settled;
  bool stopping = false;

  // A checkpoint may only start when a commit that began after the last full copy has returned (SQLite before 3.51.3
  // can corrupt the file otherwise).
  std::atomic<std::int64_t> commits = 0;
  std::atomic<int> wal_frames = 0;
  std::mutex checkpoint_mutex;
  std::condition_variable checkpoint_wanted;
  bool checkpoint_stopping = false;

  std::thread writer_thread;
  std::thread checkpoint_thread;

  void write_until_stopped();
  void checkpoint_until_stopped();
};

void FloorStore::State::write_until_stopped() {
  Statement begin(writer, "BEGIN IMMEDIATE");
  Statement commit(writer, "COMMIT");
  Statement insert_event(writer, "INSERT INTO event VALUES (?1, 1, ?2, ?3, ?4, ?5)");
  Statement insert_delivery(writer, "INSERT INTO delivery VALUES (?1, ?1, 1, 1, 1, NULL)");
  Statement insert_attempt(writer, "INSERT INTO attempt VALUES (?1, ?1, 1, ?2)");
  Statement insert_outcome(writer, "INSERT INTO attempt_outcome VALUES (?1, ?1, ?2, 'delivered', ?3)");
  Statement update_delivery(writer,
                            "UPDATE delivery SET state = 7, version = version + 1, settled_at = ?2 WHERE id = ?1");
  for (;;) {
    std::vector<NewEvent> new_events;
    std::vector<SettledDelivery> new_settled;
    {
      std::unique_lock lock(mutex);
      queued.wait(lock, [&] { return stopping || !events.empty() || !settled.empty(); });
      if (events.empty() && settled.empty()) return;
      new_events.swap(events);
      new_settled.swap(settled);
    }
    begin.run();
    for (const NewEvent& event : new_events) {
      insert_event.run(event.row, event.id, event.type, event.accepted_at_ms,
                       std::pair<const void*, std::size_t>(event.envelope.data(), event.envelope.size()));
      insert_delivery.run(event.row);
    }
    for (const SettledDelivery& one : new_settled) {
      insert_attempt.run(one.row, one.started_at_ms);
      insert_outcome.run(one.row, one.settled_at_ms, std::int64_t{one.http_status});
      update_delivery.run(one.row, one.settled_at_ms);
    }
    commit.run();
    ++commits;
    if (!new_events.empty()) committed(std::move(new_events));
    if (wal_frames > kWalFramesMax) {
      const std::lock_guard lock(checkpoint_mutex);
      sqlite3_wal_checkpoint_v2(writer, nullptr, SQLITE_CHECKPOINT_RESTART, nullptr, nullptr);
    } else if (wal_frames > kCheckpointFrames) {
      checkpoint_wanted.notify_one();
    }
  }
}

void FloorStore::State::checkpoint_until_stopped() {
  std::int64_t commits_at_full_copy = -1;
  std::unique_lock lock(checkpoint_mutex);
  while (!checkpoint_stopping) {
    checkpoint_wanted.wait(lock);
    if (commits <= commits_at_full_copy + 1 || wal_frames <= kCheckpointFrames) continue;
    int in_log = 0;
    int copied = 0;
    sqlite3_wal_checkpoint_v2(checkpointer, nullptr, SQLITE_CHECKPOINT_PASSIVE, &in_log, &copied);
    if (in_log == copied) commits_at_full_copy = commits;
  }
}

FloorStore::FloorStore(const std::string& path, std::function<void(std::vector<NewEvent>)> committed)
    : state_(std::make_unique<State>()) {
  state_->committed = std::move(committed);
  state_->writer = open(path);
  SEMEL_CHECK(sqlite3_exec(state_->writer, kSchema, nullptr, nullptr, nullptr) == SQLITE_OK);
  state_->checkpointer = open(path);
  sqlite3_wal_hook(
      state_->writer,
      [](void* state, sqlite3*, const char*, int frames) {
        static_cast<State*>(state)->wal_frames = frames;
        return SQLITE_OK;
      },
      state_.get());
  state_->writer_thread = std::thread([this] { state_->write_until_stopped(); });
  state_->checkpoint_thread = std::thread([this] { state_->checkpoint_until_stopped(); });
}

FloorStore::~FloorStore() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->queued.notify_one();
  state_->writer_thread.join();
  {
    const std::lock_guard lock(state_->checkpoint_mutex);
    state_->checkpoint_stopping = true;
  }
  state_->checkpoint_wanted.notify_one();
  state_->checkpoint_thread.join();
  sqlite3_close(state_->checkpointer);
  sqlite3_close(state_->writer);
}

void FloorStore::add(NewEvent event) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->events.push_back(std::move(event));
  }
  state_->queued.notify_one();
}

void FloorStore::settle(SettledDelivery settled) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->settled.push_back(settled);
  }
  state_->queued.notify_one();
}

}  // namespace semel::bench
