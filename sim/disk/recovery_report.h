// recovery_report.h: what came of crashing a store and opening it again many times.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace semel::sim {

struct RecoveryReport {
  std::uint64_t recoveries = 0;             // times that a store was opened after a crash, and compared
  std::uint64_t crashes_while_opening = 0;  // openings that ended in a further crash or a fault
  std::uint64_t crashes_in_operations = 0;  // of all crashes, those inside an operation of the disk
  std::uint64_t raced_checkpoints = 0;      // the writer or a reader ran between two steps of one

  std::uint64_t acknowledged = 0;      // write-sets that were answered committed
  std::uint64_t doubtful = 0;          // write-sets that a crash left without an answer
  std::uint64_t doubtful_present = 0;  // of these, found all the same

  // None of these may ever be more than 0.
  std::uint64_t lost = 0;           // acknowledged changes that are not there
  std::uint64_t holes = 0;          // an event is there, an earlier one of its producer is not
  std::uint64_t corrupt = 0;        // half a write-set, other bytes than were written, or the file's own check fails
  std::uint64_t fences_stood = 0;   // a fence that did not rise
  std::uint64_t wrong_answers = 0;  // a conflict or refusal without a cause
  std::uint64_t rules_broken = 0;   // disks that saw a rule broken (SimDisk::broken_rule)

  std::uint64_t trace_hash = 0;
  std::string first_breach;  // in words, with the number of its disk

  std::uint64_t breaches() const { return lost + holes + corrupt + fences_stood + wrong_answers + rules_broken; }
};

}  // namespace semel::sim
