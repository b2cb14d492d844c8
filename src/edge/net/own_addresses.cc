// own_addresses.cc: what the interfaces of this machine are called.
#include <ifaddrs.h>

#include <cerrno>
#include <system_error>

#include "edge/net/net.h"
#include "edge/net/sockaddr.h"

namespace semel {

Result<std::vector<IpAddress>> own_addresses() {
  std::vector<IpAddress> addresses;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) {
    return fail(Fault::unavailable,
                "the interfaces of this machine cannot be listed: " + std::generic_category().message(errno));
  }
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr) continue;
    if (const auto address = from_system(entry->ifa_addr)) addresses.push_back(address->ip);
  }
  freeifaddrs(list);
  return addresses;
}

}  // namespace semel
