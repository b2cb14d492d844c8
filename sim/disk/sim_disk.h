// sim_disk.h: a disk in memory under the real SQLite: it knows what is synced, loses the rest with the power, and fails
// by draw.
//
// Power loss: of each file's writes since its last sync any subset survives, whole sectors of 512 bytes at a time, in
//             any order; a created, renamed or deleted name is durable only after its directory was synced (SQLite asks
//             for that with xDelete's flag and by syncing a new journal's directory; until then either state may be
//             found). Shared memory is lost with the process.
// Faults:     power_loss, disk_full (for a while), disk_io_error (read, write, sync, truncate), crash_in_disk (at the
//             n-th operation), drawn by sim/kernel/faults.h. After a failed sync the pages count as clean and may be
//             lost (what Linux does), so that who syncs again and believes it loses data.
// One disk is one SQLite VFS under its own name; several hosts may share it, each with its own files.
// Threads:    one. Order at a crash: off() -> destroy what holds connections -> power_cycle().
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "sim/kernel/faults.h"
#include "sim/kernel/trace.h"

namespace semel::sim {

class SimDisk {
 public:
  struct Options {
    std::string name;  // of the VFS
    // Called when an operation of a file under `prefix` is the process's last one; the operation fails.
    std::function<void(std::string_view path)> crash_wanted;
    // Called between the operations of a checkpoint, so that the writer can be run there.
    std::function<void(std::string_view path)> between_checkpoint_steps;
  };
  SimDisk(Options options, Draw draw, Faults& faults, Trace& trace);
  ~SimDisk();
  SimDisk(const SimDisk&) = delete;
  SimDisk& operator=(const SimDisk&) = delete;

  const std::string& vfs() const;

  // Every operation on files whose path begins with `prefix` fails and changes nothing, until power_cycle(prefix).
  void off(std::string_view prefix);

  enum class Loss : std::uint8_t {
    nothing,   // the process died, the machine did not: what was written is there
    unsynced,  // the power failed: the lottery
  };
  // The host starts again: handles are gone, shared memory is gone, and what is there is what survived.
  void power_cycle(std::string_view prefix, Loss loss);

  // From now on nothing fails.
  void heal();

  // The bytes that are there now, for a watcher: every file under `prefix`, one after the other.
  void for_each_file(std::string_view prefix,
                     const std::function<void(std::string_view path, std::string_view bytes)>& f);

  std::uint64_t operations() const;
  // Commits since the last sync of their log that a checkpoint copied all the same, starts of a checkpoint on a fully
  // copied log, and whatever else the disk can see of a rule broken; empty when none was.
  const std::string& broken_rule() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace semel::sim
