// sim_disk.h: a disk in memory under the real SQLite: it knows what is synced, loses the rest with the power, and fails
// by draw.
//
// Power loss: of each file's writes since its last sync any subset survives, whole sectors of 512 bytes at a time, in
//             any order; a created or deleted name is durable only after its folder was synced (SQLite asks for that
//             with xDelete's flag and, as on Unix, with the first sync of a log or journal it has opened; until then
//             either state may be found). Shared memory is lost with the process.
// Faults:     disk_full (for a while: what would make a file grow fails; a restart often finds room again),
//             disk_io_error (open, read, write, sync, truncate, delete), crash_in_disk (in a write, sync, truncation,
//             creation or deletion, which happens, does not happen, or happens in part), drawn by
//             sim/kernel/faults.h. After a failed sync the pages count as clean and may be lost (what Linux does), so
//             that who syncs again and believes it loses data.
// One disk is one SQLite VFS under its own name; several hosts may share it, each with its own databases. What follows
// a path (PATH-wal, PATH-journal) belongs to the database PATH.
// SQLite's own randomness is one per process: a disk seeds it when it is made, so one disk is used after another.
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
    // Called inside an operation that is its process's last one. The database of `path` is off after it, as with off();
    // who has more than that database to take from the process does so here.
    std::function<void(std::string_view path)> crash_wanted;
    // Called between the operations of a checkpoint of the database `path`, so that the writer can be run there. Never
    // called inside itself.
    std::function<void(std::string_view path)> between_checkpoint_steps;
  };
  SimDisk(Options options, Draw draw, Faults& faults, Trace& trace);
  ~SimDisk();  // no file may be open
  SimDisk(const SimDisk&) = delete;
  SimDisk& operator=(const SimDisk&) = delete;

  const std::string& vfs() const;

  // Every operation on files whose path begins with `prefix` fails and changes nothing, until power_cycle(prefix).
  // Handles that are open stay so for good.
  void off(std::string_view prefix);

  enum class Loss : std::uint8_t {
    nothing,   // the process died, the machine did not: what was written is there
    unsynced,  // the power failed: the lottery
  };
  // The host starts again, on what survived. No file under `prefix` may be open any more.
  void power_cycle(std::string_view prefix, Loss loss);

  // From now on nothing fails.
  void heal();

  // The bytes that are there now, for a watcher: every file under `prefix`, one after the other.
  void for_each_file(std::string_view prefix,
                     const std::function<void(std::string_view path, std::string_view bytes)>& f);

  std::uint64_t operations() const;
  // The first breach of a rule that the disk can see, in words; empty when there was none. It sees a checkpoint that
  // starts on a fully copied log beside a connection that writes (edge/sqlite/checkpoint_rule.h), one that copies
  // frames that are not synced, and a log that begins anew while the file is not synced.
  const std::string& broken_rule() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace semel::sim
