// sqlite_store.cc: the queue in front of the writer, the lanes, and what happens when the file can no longer be
// trusted.
#include "edge/sqlite/sqlite_store.h"

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

#include "base/match.h"
#include "base/planted.h"
#include "base/probe.h"
#include "edge/sqlite/lock_file.h"
#include "edge/sqlite/reader.h"
#include "edge/sqlite/schema.h"
#include "edge/sqlite/writer.h"

namespace semel::sqlite {
namespace {

struct Queued {
  store::WriteSet write_set;
  Done<store::CommitAnswer> done;
};

std::size_t bytes_of(const store::WriteSet& write_set) {
  const auto* intake = std::get_if<store::Intake>(&write_set);
  std::size_t bytes = 0;
  if (intake)
    for (const intake::Item& item : intake->items) bytes += item.submission.data.size();
  return bytes;
}

struct Connections {
  LockFile lock;
  std::unique_ptr<Connection> writer;
  std::unique_ptr<Connection> reader;
  std::unique_ptr<Connection> checkpoint;
};

class SqliteStore final : public store::Store {
 public:
  SqliteStore(Connections connections, Fence fence, SqliteOptions options, Lanes& lanes, Executor& executor)
      : connections_(std::move(connections)),
        fence_(fence),
        on_fatal_(std::move(options.on_fatal)),
        lanes_(lanes),
        executor_(executor),
        writer_(*connections_.writer),
        reader_(*connections_.reader),
        checkpointer_(*connections_.checkpoint, *connections_.writer,
                      {.log_bytes_max = options.log_bytes_max, .start_frames = options.checkpoint_frames},
                      connections_.writer->pragma_number("page_size")) {
    connections_.writer->on_commit([this](int frames) { log_frames_ = frames; });
  }

  ~SqliteStore() override {
    std::unique_lock lock(mutex_);
    jobs_over_.wait(lock, [this] { return jobs_ == 0; });
  }

  // The first failure to prepare a statement.
  Result<void> check_prepared() {
    SEMEL_TRY_VOID(connections_.writer->take_failure());
    return connections_.reader->take_failure();
  }

  // What one turn of the loop brings is handed to the writer as a whole, so that a group is not cut where the writer
  // happens to look.
  void start_commit(store::WriteSet write_set, Done<store::CommitAnswer> done) override {
    const std::size_t bytes = bytes_of(write_set);
    if (std::optional<Error> refusal = refusal_to_queue(bytes)) {
      executor_.post([refused = *std::move(refusal), answer = std::move(done)]() mutable {
        answer(store::Refused{std::move(refused)});
      });
      return;
    }
    this_turn_.push_back({std::move(write_set), std::move(done)});
    this_turn_bytes_ += bytes;
    if (this_turn_.size() == 1) executor_.post([this] { hand_over(); });
  }

  void start_reading(std::move_only_function<void(store::StoreReader&)> read, Done<Nothing> done) override {
    {
      const std::lock_guard lock(mutex_);
      ++jobs_;
    }
    lanes_.start_blocking(
        Lane::reader,
        [this, run = std::move(read)]() mutable {
          reader_.run(run, failed());
          end_job();
        },
        [answer = std::move(done)]() mutable { answer(Nothing{}); });
  }

  Fence fence() const override { return fence_; }

 private:
  std::optional<Error> refusal_to_queue(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (queue_.size() + this_turn_.size() >= kQueuedWriteSetsMax ||
        queued_bytes_ + this_turn_bytes_ + bytes > kQueuedBytesMax)
      return Error{Fault::busy, "too much waits for the store"};
    return std::nullopt;
  }

  // At the end of a turn: what it brought becomes the writer's.
  void hand_over() {
    bool start = false;
    {
      const std::lock_guard lock(mutex_);
      std::ranges::move(this_turn_, std::back_inserter(queue_));
      queued_bytes_ += std::exchange(this_turn_bytes_, 0);
      start = !std::exchange(writing_, true);
      if (start) ++jobs_;
    }
    this_turn_.clear();
    if (start) lanes_.start_blocking(Lane::writer, [this] { write_queued(); }, [] {});
  }

  std::optional<Error> failed() {
    const std::lock_guard lock(mutex_);
    return failed_;
  }

  void end_job() {
    const std::lock_guard lock(mutex_);
    --jobs_;
    jobs_over_.notify_all();  // under the lock: the destructor may go on as soon as it is free
  }

  // On the writer lane: one group after another until nothing is queued.
  void write_queued() {
    for (;;) {
      std::vector<Queued> group;
      std::optional<Error> refusal;
      {
        const std::lock_guard lock(mutex_);
        group.swap(queue_);
        queued_bytes_ = 0;
        refusal = failed_;
        writing_ = !group.empty();
      }
      if (group.empty()) break;
      std::vector<store::CommitAnswer> answers =
          refusal ? std::vector<store::CommitAnswer>(group.size(), store::Refused{*refusal}) : commit(group);
      deliver(std::move(group), std::move(answers));
    }
    end_job();
  }

  std::vector<store::CommitAnswer> commit(const std::vector<Queued>& group) {
    std::vector<const store::WriteSet*> write_sets;
    write_sets.reserve(group.size());
    for (const Queued& queued : group) write_sets.push_back(&queued.write_set);
    log_frames_.reset();
    checkpointer_.commit_began();
    Writer::GroupAnswer answer = writer_.commit(write_sets);
    const Result<Checkpointer::Next> next = checkpointer_.commit_returned(log_frames_);
    if (answer.fatal) fail_for_good(*answer.fatal);
    if (!next) fail_for_good(next.error().note);
    if (next && *next == Checkpointer::Next::start_beside) start_checkpoint();
    return std::move(answer.answers);
  }

  void deliver(std::vector<Queued> group, std::vector<store::CommitAnswer> answers) {
    executor_.post([answered = std::move(group), given = std::move(answers)]() mutable {
      for (std::size_t i = 0; i < answered.size(); ++i) answered[i].done(std::move(given[i]));
    });
  }

  void start_checkpoint() {
    probe::reached<"sqlite.checkpoint_starts_beside">();
    {
      const std::lock_guard lock(mutex_);
      ++jobs_;
    }
    lanes_.start_blocking(
        Lane::checkpoint,
        [this] {
          const Result<void> run = checkpointer_.run_beside();
          if (!run) fail_for_good(run.error().note);
          end_job();
        },
        [] {});
  }

  void fail_for_good(std::string note) {
    {
      const std::lock_guard lock(mutex_);
      if (failed_) return;
      probe::reached<"sqlite.fails_for_good">();
      failed_ = Error{Fault::unavailable, "the store has failed and this process must end: " + note};
    }
    if (on_fatal_)
      executor_.post([tell = std::move(on_fatal_), why = std::move(note)]() mutable { tell(std::move(why)); });
  }

  Connections connections_;
  const Fence fence_;
  std::move_only_function<void(std::string)> on_fatal_;
  Lanes& lanes_;
  Executor& executor_;

  Writer writer_;                  // writer lane
  std::optional<int> log_frames_;  // writer lane: set by a commit that wrote
  Reader reader_;                  // reader lane
  Checkpointer checkpointer_;

  std::vector<Queued> this_turn_;  // of the loop's thread
  std::size_t this_turn_bytes_ = 0;

  std::mutex mutex_;  // guards what follows
  std::condition_variable jobs_over_;
  std::vector<Queued> queue_;
  std::size_t queued_bytes_ = 0;
  bool writing_ = false;  // a job of the writer lane will look at the queue again
  int jobs_ = 0;          // on the lanes, not over yet
  std::optional<Error> failed_;
};

// One name for one file, so that two ways to write a path do not get two locks.
std::string canonical(const std::string& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(path, error);
  return error ? path : whole.string();
}

// Everything in the log goes into the file: a failed fsync of an earlier process may have left pages that look written
// and are not on the disk.
Result<void> copy_log(Connection& writer) {
  const auto done = writer.checkpoint(SQLITE_CHECKPOINT_TRUNCATE);
  SEMEL_TRY_VOID(writer.take_failure());
  if (!done) return fail(Fault::busy, "another program holds the store's log");
  return {};
}

}  // namespace

Result<Opened> open_sqlite_store(SqliteOptions options, Lanes& lanes, Executor& executor) {
  const std::string path = canonical(options.path);
  SEMEL_TRY(lock, LockFile::take(path + ".lock"));
  ConnectionOptions connection{
      .path = path,
      .vfs = options.vfs,
      .synchronous = planted(Planted::synchronous_normal) ? Synchronous::normal : options.synchronous};
  connection.cache_kib = 64 * 1024;
  SEMEL_TRY(writer, Connection::open(connection));
  SEMEL_TRY(found, open_schema(*writer, options.secrets, options.entropy));
  SEMEL_TRY_VOID(copy_log(*writer));
  SEMEL_TRY(fence, raise_fences(*writer));
  connection.cache_kib = 16 * 1024;
  SEMEL_TRY(beside, Connection::open(connection));
  connection.access = Access::read;
  SEMEL_TRY(reader, Connection::open(connection));
  auto store = std::make_unique<SqliteStore>(
      Connections{std::move(lock), std::move(writer), std::move(reader), std::move(beside)}, fence, std::move(options),
      lanes, executor);
  SEMEL_TRY_VOID(store->check_prepared());
  return Opened{std::move(store), found == Found::created};
}

}  // namespace semel::sqlite
