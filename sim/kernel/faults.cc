// faults.cc: names of fault classes, and the draw of one occasion.
#include "sim/kernel/faults.h"

namespace semel::sim {
namespace {

constexpr std::array<std::string_view, kFaultClasses> kNames{"crash_server",   "crash_receiver",
                                                             "stall",          "clock_step",
                                                             "commit_lost",    "commit_doubt",
                                                             "commit_late",    "crash_in_commit",
                                                             "power_loss",     "disk_full",
                                                             "disk_io_error",  "crash_in_disk",
                                                             "refused",        "tls",
                                                             "delay",          "clog",
                                                             "partition",      "cut",
                                                             "drip",           "replay",
                                                             "stale_close",    "dns",
                                                             "receiver_fails", "receiver_slow"};

}  // namespace

std::string_view name_of(FaultClass fault) { return kNames[static_cast<std::size_t>(fault)]; }

std::optional<FaultClass> fault_class_named(std::string_view name) {
  for (int i = 0; i < kFaultClasses; ++i)
    if (kNames[static_cast<std::size_t>(i)] == name) return static_cast<FaultClass>(i);
  return std::nullopt;
}

std::optional<Draw> Faults::strike(FaultClass fault, PerMillion chance) {
  if (healed_) return std::nullopt;
  const std::uint64_t number = ++occasions_[static_cast<std::size_t>(fault)];
  if (chance.parts == 0 || mask_.classes.contains(fault)) return std::nullopt;
  Draw details = Draw(seed_, name_of(fault)).fork("occasion", number);
  if (!details.happens(chance) || mask_.leaves_out(fault, number)) return std::nullopt;
  struck_.push_back({fault, number});
  if (on_strike_) on_strike_(struck_.back());
  return details;
}

}  // namespace semel::sim
