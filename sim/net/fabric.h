// fabric.h: what all connections of a world share.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "sim/kernel/faults.h"
#include "sim/kernel/schedule.h"
#include "sim/kernel/trace.h"
#include "sim/net/link.h"
#include "sim/net/observer.h"

namespace semel::sim {

class Connection;

struct Fabric {
  Schedule& schedule;
  Draw draw;
  Faults& faults;
  Trace& trace;
  NetObserver& observer;
  Links links{};
  std::map<ConnectionId, std::shared_ptr<Connection>> connections{};  // of which an end is open
  std::uint64_t last_connection = 0;
  // A request, as it was on the wire, that is to arrive once more.
  std::function<void(const Connection& over, std::string request, Draw details)> replay{};

  Link& link(const egress::IpAddress& from, const egress::IpAddress& to) {
    const auto found = links.find({from, to});
    if (found != links.end()) return found->second;
    return links.try_emplace({from, to}, schedule, draw.fork("link", links.size())).first->second;
  }
};

}  // namespace semel::sim
