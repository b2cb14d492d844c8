// checkpointer.cc: when, on which connection, and what a failure means.
#include "edge/sqlite/checkpointer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/planted.h"
#include "base/probe.h"

namespace semel::sqlite {
namespace {

constexpr int kFrameHeaderBytes = 24;
constexpr int kFramesMaxLeast = 64;

int frames_in(std::uint64_t log_bytes, std::int64_t page_bytes) {
  const std::uint64_t frames = log_bytes / (static_cast<std::uint64_t>(page_bytes) + kFrameHeaderBytes);
  return static_cast<int>(std::clamp<std::uint64_t>(frames, kFramesMaxLeast, std::numeric_limits<int>::max() / 2));
}

}  // namespace

Checkpointer::Checkpointer(Connection& beside, Connection& writer, CheckpointLimits limits, std::int64_t page_bytes)
    : beside_(beside),
      writer_(writer),
      frames_max_(frames_in(limits.log_bytes_max, page_bytes)),
      start_frames_(std::min(limits.start_frames, frames_max_)),
      reset_from_(frames_max_) {}

void Checkpointer::commit_began() {
  const std::lock_guard lock(mutex_);
  rule_.commit_began();
}

Result<Checkpointer::Next> Checkpointer::commit_returned(std::optional<int> frames) {
  {
    const std::lock_guard lock(mutex_);
    rule_.commit_returned(frames.has_value());
    if (planted(Planted::checkpoint_start_rule_broken) && !std::exchange(running_, true)) return Next::start_beside;
    if (!frames) return Next::nothing;
    probe::sometimes<"sqlite.log_begins_anew">(*frames < frames_);
    probe::sometimes<"sqlite.commits_while_a_checkpoint_waits">(running_);
    if (*frames < frames_) copied_ = 0;  // the log began anew
    frames_ = *frames;
    if (running_) return Next::nothing;
    if (frames_ < reset_from_) {
      if (frames_ - copied_ < start_frames_ || !rule_.may_start()) return Next::nothing;
      running_ = true;
      return Next::start_beside;
    }
  }
  SEMEL_TRY_VOID(reset_log());
  return Next::nothing;
}

Result<void> Checkpointer::reset_log() {
  probe::reached<"sqlite.log_is_reset">();
  sqlite3_busy_timeout(writer_.handle(), 0);  // a reader may take its time; the next commits must not wait for it
  const std::optional<Connection::Checkpointed> done = writer_.checkpoint(SQLITE_CHECKPOINT_RESTART);
  sqlite3_busy_timeout(writer_.handle(), kBusyTimeoutMs);
  const std::lock_guard lock(mutex_);
  if (done) {
    rule_.checkpoint_returned(done->full_copy());
    copied_ = done->copied_frames;
  }
  reset_from_ = done ? frames_max_ : frames_ + frames_max_ / 8;
  return judge(writer_);
}

Result<void> Checkpointer::run_beside() {
  const std::optional<Connection::Checkpointed> done = beside_.checkpoint(SQLITE_CHECKPOINT_PASSIVE);
  const std::lock_guard lock(mutex_);
  running_ = false;
  probe::sometimes<"sqlite.checkpoint_copies_everything">(done && done->full_copy());
  if (done) rule_.checkpoint_returned(done->full_copy());
  copied_ = done ? done->copied_frames : frames_;
  return judge(beside_);
}

// Without space the log stays as it is and the next growth tries again; anything else is fatal.
Result<void> Checkpointer::judge(Connection& connection) {
  if (!connection.failure()) return {};
  if (connection.failure()->trouble == Trouble::full) {
    connection.clear_failure();
    return {};
  }
  return connection.take_failure();
}

}  // namespace semel::sqlite
