// ground.h: what every node of a world stands on: time, chance, faults, network and disk.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "sim/disk/sim_disk.h"
#include "sim/kernel/faults.h"
#include "sim/kernel/process.h"
#include "sim/kernel/schedule.h"
#include "sim/kernel/trace.h"
#include "sim/net/sim_net.h"
#include "sim/world/options.h"

namespace semel::sim {

inline constexpr WallTime kWorldBegins{1'796'025'600'000};  // 2026-11-30T08:00:00Z
inline const WallClock kTrueTime{.at_start = kWorldBegins};

// Hosts by their place in the world.
IpAddress server_ip();
IpAddress client_ip(std::uint32_t number);
IpAddress receiver_ip(std::uint32_t number);
std::string receiver_host(std::uint32_t number);
inline constexpr std::uint16_t kServerPort = 7350;
inline constexpr std::uint16_t kReceiverPort = 443;

// A folder on the real disk for what the store keeps beside SQLite's files: its lock. One per operating system process.
const std::string& real_folder();

struct Ground {
  Ground(const Options& drawn, NetObserver& observer, std::function<void(std::string_view)> print,
         SimDisk::Options disk_options);

  const Options options;
  Draw draw;
  Trace trace;
  Schedule schedule;
  SourceId world;  // of what no process does
  Faults faults;
  SimNet net;
  SimDisk disk;

  std::string path_of(std::string_view host) const { return real_folder() + "/" + std::string(host) + "/"; }
};

}  // namespace semel::sim
