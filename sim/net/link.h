// link.h: the way from one host to another, in one direction: how long it takes, and whether it stands still.
#pragma once

#include <functional>
#include <map>
#include <utility>

#include "core/egress/address.h"
#include "sim/kernel/draw.h"
#include "sim/kernel/schedule.h"

namespace semel::sim {

class Link {
 public:
  Link(Schedule& schedule, Draw draw);

  SourceId source() const { return source_; }
  Nanoseconds latency();

  enum class Fault : std::uint8_t {
    clog,       // everything waits
    partition,  // everything is dropped: bytes come again some time after it has ended, resets do not
  };
  void block(Fault fault, MonotonicTime until);
  bool is_blocked() const { return schedule_.now() < blocked_until_; }
  bool drops_resets() const { return is_blocked() && fault_ == Fault::partition; }

  // Runs `f` when what leaves now arrives.
  void travel(Nanoseconds delay, std::move_only_function<void()> f);
  // Runs `f` some time after the link has opened.
  void hold(std::move_only_function<void()> f);

  // Opens it, and keeps it quick from now on.
  void heal();

 private:
  void open_when_due();
  void release();
  void run(std::uint64_t number);

  Schedule& schedule_;
  Draw draw_;
  SourceId source_;
  Nanoseconds least_;
  Nanoseconds mean_more_;  // above the least
  bool healed_ = false;
  Fault fault_ = Fault::clog;
  MonotonicTime blocked_until_;
  bool open_is_scheduled_ = false;
  struct Held {
    std::move_only_function<void()> f;
    TaskId due{0};  // set once the link has opened
  };
  std::uint64_t last_held_ = 0;
  std::map<std::uint64_t, Held> held_;
};

using Links = std::map<std::pair<egress::IpAddress, egress::IpAddress>, Link>;  // from, to

}  // namespace semel::sim
