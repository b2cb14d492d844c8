// sockaddr.h: addresses as the system calls want them.
#pragma once

#include <sys/socket.h>

#include <optional>

#include "core/egress/address.h"

namespace semel {

struct SystemAddress {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;

  sockaddr* data() { return reinterpret_cast<sockaddr*>(&storage); }
  const sockaddr* data() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

SystemAddress to_system(const egress::SocketAddress& address);
// nullopt for families other than IPv4 and IPv6.
std::optional<egress::SocketAddress> from_system(const sockaddr* address);

}  // namespace semel
