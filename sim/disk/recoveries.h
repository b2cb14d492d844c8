// recoveries.h: the real store on the simulated disk, crashed and opened again thousands of times.
//
// Each opening is the product's own. Then write-sets of all kinds are committed several at a time, with checkpoints
// beside the writer and a log that begins anew, until the process dies: inside a drawn operation of the disk, between
// two operations, or because the store asks for it after a failed one. With the process dies, mostly, the machine. What
// the next opening finds is compared with what was acknowledged (promises.h).
// A store is thrown away after some crashes, so that it stays small.
#pragma once

#include <cstdint>

#include "edge/sqlite/connection.h"
#include "sim/disk/recovery_report.h"

namespace semel::sim {

// At least `count` recoveries. The same arguments give the same report, trace hash included, in every process.
// Threads: one at a time per process (sim_disk.h).
RecoveryReport run_recoveries(std::uint64_t seed, std::uint64_t count, sqlite::Synchronous synchronous);

}  // namespace semel::sim
