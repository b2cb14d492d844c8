// disk_faults.cc: chance is asked only about what this world has, since each question is an occasion and costs a draw.
#include "sim/disk/disk_faults.h"

#include <sqlite3.h>

#include <utility>

namespace semel::sim {
namespace {

constexpr int kFullDoublings = 6;  // a full disk is so for 1 to 64 operations that ask for space

bool changes_the_disk(DiskOperation operation) {
  return operation != DiskOperation::open && operation != DiskOperation::read;
}

Fate fails_with(int code, Draw details) {
  const auto happens = static_cast<Fate::Happens>(details.below(3));
  return {.code = code, .happens = happens, .details = details};
}

}  // namespace

int code_of_failed(DiskOperation operation) {
  switch (operation) {
    case DiskOperation::open:
    case DiskOperation::create:
      return SQLITE_CANTOPEN;
    case DiskOperation::read:
      return SQLITE_IOERR_READ;
    case DiskOperation::write:
      return SQLITE_IOERR_WRITE;
    case DiskOperation::truncate:
      return SQLITE_IOERR_TRUNCATE;
    case DiskOperation::sync:
      return SQLITE_IOERR_FSYNC;
    case DiskOperation::remove:
      return SQLITE_IOERR_DELETE;
  }
  std::unreachable();
}

Fate DiskFaults::fate_of(DiskOperation operation) {
  if (healed_) return {};
  if (changes_the_disk(operation) && faults_.has(FaultClass::crash_in_disk)) {
    if (auto details = faults_.strike(FaultClass::crash_in_disk)) {
      Fate fate = fails_with(code_of_failed(operation), *std::move(details));
      fate.last = true;
      return fate;
    }
  }
  if (faults_.has(FaultClass::disk_io_error))
    if (auto details = faults_.strike(FaultClass::disk_io_error))
      return fails_with(code_of_failed(operation), *std::move(details));
  return {};
}

Fate DiskFaults::fate_of_growth(DiskOperation operation) {
  if (is_full()) return {.code = SQLITE_FULL, .happens = Fate::Happens::not_at_all, .details = {}};
  return fate_of(operation);
}

bool DiskFaults::is_full() {
  if (healed_ || !faults_.has(FaultClass::disk_full)) return false;
  if (full_for_ > 0) return --full_for_, true;
  auto details = faults_.strike(FaultClass::disk_full);
  if (details) full_for_ = details->skewed(1, kFullDoublings) - 1;
  return details.has_value();
}

}  // namespace semel::sim
