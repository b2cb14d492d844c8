// ground.cc: putting the kernel together.
#include "sim/world/ground.h"

#include <fmt/core.h>
#include <unistd.h>

#include "base/check.h"
#include "base/testing/temp_folder.h"

namespace semel::sim {
namespace {

IpAddress ipv4(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint32_t d) {
  IpAddress ip;
  ip.bytes[0] = a;
  ip.bytes[1] = b;
  ip.bytes[2] = c;
  ip.bytes[3] = static_cast<std::uint8_t>(d);
  return ip;
}

}  // namespace

IpAddress server_ip() { return ipv4(10, 20, 0, 1); }
IpAddress client_ip(std::uint32_t number) { return ipv4(10, 20, 1, number); }
IpAddress receiver_ip(std::uint32_t number) { return ipv4(93, 184, 1, number); }
std::string receiver_host(std::uint32_t number) { return fmt::format("r{}.receivers.example", number); }

const std::string& real_folder() {
  static const pid_t owner = getpid();
  static const TempFolder folder;  // gone when the program ends
  static const std::string path = folder.path().string();
  SEMEL_CHECK(owner == getpid());
  return path;
}

Ground::Ground(const Options& drawn, NetObserver& observer, std::function<void(std::string_view)> print,
               SimDisk::Options disk_options)
    : options(drawn),
      draw(drawn.seed, "world"),
      trace(std::move(print)),
      schedule(draw.fork("schedule"), drawn.order, trace),
      world(schedule.new_source()),
      faults(drawn.seed, drawn.rates, drawn.mask),
      net(schedule, draw.fork("net"), faults, trace, observer),
      disk(std::move(disk_options), draw.fork("disk"), faults, trace) {}

}  // namespace semel::sim
