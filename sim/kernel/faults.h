// faults.h: which faults a world has, how often, and each of them by class and number, so that any one can be left out
// and the rest stays as it was.
//
// Whether the n-th occasion of a class is struck, and with what details, is a pure function of (seed, class, n).
// See: sim/shrink, which leaves out classes and single faults until what is left is small.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/kernel/draw.h"

namespace semel::sim {

enum class FaultClass : std::uint8_t {
  // processes
  crash_server,
  crash_receiver,
  stall,       // a process does not get to run for a while
  clock_step,  // its wall clock jumps
  // store
  commit_lost,      // refused or unknown, and not there
  commit_doubt,     // unknown, and there
  commit_late,      // unknown, and there some time later, also after a restart
  crash_in_commit,  // the process dies with a commit under way
  // disk
  power_loss,     // unsynced writes are dropped, torn, reordered
  disk_full,      // for a while
  disk_io_error,  // a read, a write or a sync fails
  crash_in_disk,  // the process dies inside the n-th operation of the disk
  // network
  refused,      // a connection is refused or not answered
  tls,          // the handshake or the certificate fails
  delay,        // a slow link
  clog,         // a link stands still for a while
  partition,    // one direction of a link drops everything for a while
  cut,          // RST, FIN or silence at byte k of a direction
  drip,         // a few bytes at a time
  replay,       // a whole request arrives again later
  stale_close,  // an idle connection is closed by the peer, about when it is taken again
  dns,          // no answer, another answer, too many answers, a private address among them
  // receivers
  receiver_fails,  // 5xx, 429, 503 with Retry-After
  receiver_slow,   // applies, and answers after the deadline
};
inline constexpr int kFaultClasses = static_cast<int>(FaultClass::receiver_slow) + 1;

std::string_view name_of(FaultClass fault);
std::optional<FaultClass> fault_class_named(std::string_view name);

// What is left out: whole classes, and single faults by number (of their occasion, as in Struck).
struct FaultMask {
  using Singles = std::set<std::pair<FaultClass, std::uint64_t>>;

  std::set<FaultClass> classes;
  Singles single;
  std::optional<Singles> only;  // when set, nothing else strikes

  bool leaves_out(FaultClass fault, std::uint64_t number) const {
    return single.contains({fault, number}) || (only && !only->contains({fault, number}));
  }
};

struct Struck {
  FaultClass fault;
  std::uint64_t number;  // of the occasion within its class, from 1
};

class Faults {
 public:
  using Rates = std::array<PerMillion, kFaultClasses>;

  Faults(std::uint64_t seed, Rates rates, FaultMask mask) : seed_(seed), rates_(rates), mask_(std::move(mask)) {}

  // One occasion for a fault of this class. When it strikes: the stream its details are drawn from.
  std::optional<Draw> strike(FaultClass fault) { return strike(fault, rate(fault)); }
  std::optional<Draw> strike(FaultClass fault, PerMillion chance);

  PerMillion rate(FaultClass fault) const { return rates_[static_cast<std::size_t>(fault)]; }
  bool has(FaultClass fault) const { return rate(fault).parts > 0 && !mask_.classes.contains(fault); }

  // The second phase: nothing strikes any more.
  void heal() { healed_ = true; }
  bool healed() const { return healed_; }

  // Called at each strike, for the trace and the busy hours.
  void on_strike(std::move_only_function<void(const Struck&)> f) { on_strike_ = std::move(f); }
  const std::vector<Struck>& struck() const { return struck_; }

 private:
  std::uint64_t seed_;
  Rates rates_;
  FaultMask mask_;
  bool healed_ = false;
  std::array<std::uint64_t, kFaultClasses> occasions_{};
  std::vector<Struck> struck_;
  std::move_only_function<void(const Struck&)> on_strike_;
};

}  // namespace semel::sim
