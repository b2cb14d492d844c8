// sockaddr.cc: sockaddr_in and sockaddr_in6 to and from our own addresses.
#include "edge/net/sockaddr.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstring>

namespace semel {

using egress::IpAddress;
using egress::SocketAddress;

SystemAddress to_system(const SocketAddress& address) {
  SystemAddress system;
  switch (address.ip.family) {
    case IpAddress::Family::v4: {
      sockaddr_in in{};
      in.sin_family = AF_INET;
      in.sin_port = htons(address.port);
      std::memcpy(&in.sin_addr, address.ip.bytes.data(), 4);
      std::memcpy(&system.storage, &in, sizeof in);
      system.size = sizeof in;
      break;
    }
    case IpAddress::Family::v6: {
      sockaddr_in6 in6{};
      in6.sin6_family = AF_INET6;
      in6.sin6_port = htons(address.port);
      std::memcpy(&in6.sin6_addr, address.ip.bytes.data(), 16);
      std::memcpy(&system.storage, &in6, sizeof in6);
      system.size = sizeof in6;
      break;
    }
  }
  return system;
}

std::optional<SocketAddress> from_system(const sockaddr* address) {
  SocketAddress result;
  if (address->sa_family == AF_INET) {
    sockaddr_in in;
    std::memcpy(&in, address, sizeof in);
    result.ip.family = IpAddress::Family::v4;
    std::memcpy(result.ip.bytes.data(), &in.sin_addr, 4);
    result.port = ntohs(in.sin_port);
    return result;
  }
  if (address->sa_family == AF_INET6) {
    sockaddr_in6 in6;
    std::memcpy(&in6, address, sizeof in6);
    result.ip.family = IpAddress::Family::v6;
    std::memcpy(result.ip.bytes.data(), &in6.sin6_addr, 16);
    result.port = ntohs(in6.sin6_port);
    return result;
  }
  return std::nullopt;
}

}  // namespace semel
