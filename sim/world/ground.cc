// ground.cc: putting the kernel together.
#include "sim/world/ground.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/check.h"

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

// Removed when the program ends.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "semel-sim-XXXXXX").string();
    SEMEL_CHECK(mkdtemp(pattern.data()) != nullptr);
    path = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string path;
};

}  // namespace

IpAddress server_ip() { return ipv4(10, 20, 0, 1); }
IpAddress client_ip(std::uint32_t number) { return ipv4(10, 20, 1, number); }
IpAddress receiver_ip(std::uint32_t number) { return ipv4(93, 184, 1, number); }
std::string receiver_host(std::uint32_t number) { return fmt::format("r{}.receivers.example", number); }

const std::string& real_folder() {
  static const pid_t owner = getpid();
  static std::unique_ptr<Folder> folder = std::make_unique<Folder>();
  SEMEL_CHECK(owner == getpid());
  return folder->path;
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
