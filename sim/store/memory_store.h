// memory_store.h: a store in memory that keeps port/store.h's contract, so that a world costs milliseconds.
//
// No SQL, no file: rows in maps. Decisions come from core, as in the SQLite store (intake::decide within the commit);
// what only the SQLite store can do wrong is not here and is shown by the worlds on the simulated disk.
// On a crash: MemoryRows is what survives; every open raises the fences.
#pragma once

#include <memory>

#include "base/result.h"
#include "port/clock.h"
#include "port/entropy.h"
#include "port/secrets.h"
#include "port/store.h"

namespace semel::sim {

// The durable rows. Outlives every store that is opened on it.
class MemoryRows {
 public:
  MemoryRows();
  ~MemoryRows();
  MemoryRows(const MemoryRows&) = delete;
  MemoryRows& operator=(const MemoryRows&) = delete;

  struct Tables;
  Tables& tables() { return *tables_; }

 private:
  std::unique_ptr<Tables> tables_;
};

// Makes the tenant `default` when there is none (its fingerprint key sealed as edge/sqlite/schema.cc does).
Result<std::unique_ptr<store::Store>> open_memory_store(MemoryRows& rows, Secrets& secrets, Entropy& entropy,
                                                        Executor& executor);

}  // namespace semel::sim
