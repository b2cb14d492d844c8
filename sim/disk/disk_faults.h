// disk_faults.h: how each operation of a disk goes, by the draws of sim/kernel/faults.h.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/kernel/faults.h"

namespace semel::sim {

enum class DiskOperation : std::uint8_t { open, create, read, write, truncate, sync, remove };

// What SQLite is told when it fails.
int code_of_failed(DiskOperation operation);

// What is answered, and how much of the operation happens.
struct Fate {
  enum class Happens : std::uint8_t { whole, in_part, not_at_all };
  int code = 0;  // SQLITE_OK
  Happens happens = Happens::whole;
  std::optional<Draw> details;  // of one that happens in part
  bool last = false;            // the process dies in it

  bool happens_whole() const { return happens == Happens::whole; }
};

class DiskFaults {
 public:
  explicit DiskFaults(Faults& faults) : faults_(faults) {}

  Fate fate_of(DiskOperation operation);
  // Likewise, of one that makes a file larger.
  Fate fate_of_growth(DiskOperation operation);
  bool is_full();  // one more operation asks for space

  void make_room() { full_for_ = 0; }
  void heal() { healed_ = true; }

 private:
  Faults& faults_;
  bool healed_ = false;
  std::int64_t full_for_ = 0;  // operations
};

}  // namespace semel::sim
