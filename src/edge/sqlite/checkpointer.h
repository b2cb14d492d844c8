// checkpointer.h: moves what is committed from the log into the file, beside the writer, and keeps the log's size
// capped.
//
// Decides:    after each group: nothing, a checkpoint on the checkpoint lane (once the log has grown by
//             start_frames and CheckpointRule allows it), or a reset of the log on the writer's connection (over the
//             cap: a saturated writer never leaves the log a moment in which it could begin anew).
// Threads:    the writer lane, and run_beside on the checkpoint lane.
// On a crash: the log is read again and copied at the next start.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "edge/sqlite/checkpoint_rule.h"
#include "edge/sqlite/connection.h"

namespace semel::sqlite {

inline constexpr int kStartFrames = 4'096;

struct CheckpointLimits {
  std::uint64_t log_bytes_max;
  int start_frames = kStartFrames;  // the log's growth that starts a checkpoint beside the writer
};

class Checkpointer {
 public:
  // `beside` and `writer` must outlive this.
  Checkpointer(Connection& beside, Connection& writer, CheckpointLimits limits, std::int64_t page_bytes);

  void commit_began();
  // Whether a checkpoint beside the writer must be started now (run_beside, once).
  enum class Next { nothing, start_beside };
  // `frames`: how many the log holds after a commit that wrote, none after one that did not. Resets the log on the
  // writer's connection when it is over the cap. The Error is fatal.
  Result<Next> commit_returned(std::optional<int> frames);

  // On the checkpoint lane. The Error is fatal.
  Result<void> run_beside();

 private:
  Result<void> reset_log();
  Result<void> judge(Connection& connection);

  Connection& beside_;
  Connection& writer_;
  const int frames_max_;
  const int start_frames_;
  std::mutex mutex_;  // guards what follows
  CheckpointRule rule_;
  bool running_ = false;
  int frames_ = 0;      // in the log
  int copied_ = 0;      // of them, when the last checkpoint ended
  int reset_from_ = 0;  // no reset below this size: the cap, or more after a reader stood in the way
};

}  // namespace semel::sqlite
