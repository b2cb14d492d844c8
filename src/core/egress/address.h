// address.h: IP addresses as bytes, and which of them Semel may connect to.
//
// Decides:  the class of an address, and whether a destination is allowed. Never resolves, never connects.
// Rules:    reference list in docs/design/egress.md (IANA special-purpose registries, RFC 6890 and updates). What is
//           not known to be public is denied, so a new special range fails closed.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace semel::egress {

struct IpAddress {
  enum class Family : std::uint8_t { v4, v6 };
  Family family = Family::v4;
  std::array<std::uint8_t, 16> bytes{};  // v4 uses the first four
  friend auto operator<=>(const IpAddress&, const IpAddress&) = default;
};

struct SocketAddress {
  IpAddress ip;
  std::uint16_t port = 0;
  friend auto operator<=>(const SocketAddress&, const SocketAddress&) = default;
};

// Strict: dotted quad of four decimal numbers without leading zeros, or RFC 4291 text without zone.
std::optional<IpAddress> parse_ip(std::string_view text);
std::string format_ip(const IpAddress& ip);                  // RFC 5952 for IPv6
std::string format_socket_address(const SocketAddress& at);  // 127.0.0.1:80, [::1]:80
std::optional<SocketAddress> parse_socket_address(std::string_view text);
bool is_loopback(const IpAddress& ip);

// True for addresses of the public internet by the rules above.
bool is_public(const IpAddress& ip);

// A range an operator opened with --allow-destination CIDR[:PORT[-PORT][,..]]. Without ports: the default ports.
struct AllowedRange {
  IpAddress network;
  int prefix_length = 0;
  struct Ports {
    std::uint16_t first;
    std::uint16_t last;
  };
  std::vector<Ports> ports;  // empty: the ports that are allowed for public addresses
};
Result<AllowedRange> parse_allowed_range(std::string_view text);

// ADDRESS/LENGTH. Host bits behind the length must be zero.
struct Network {
  IpAddress address;
  int prefix_length = 0;
};
Result<Network> parse_network(std::string_view cidr);

// The ports of https destinations, and of an allowed range that names none: 443, 80, 8443, 8080.
bool is_default_port(std::uint16_t port);

bool contains(const AllowedRange& range, const IpAddress& ip);
bool opens_port(const AllowedRange& range, std::uint16_t port);

struct EgressRules {
  std::vector<AllowedRange> allowed;
  std::vector<IpAddress> own_addresses{};  // of this machine's interfaces; denied unless allowed above
  std::vector<Network> nat64_prefixes{};   // the operator's translators, behind which private IPv4 may lie: denied
};

enum class Scheme : std::uint8_t { http, https };

// Whether a connection to this address may be made for a URL of this scheme. Plain http only inside an allowed range.
bool may_connect(const EgressRules& rules, Scheme scheme, const SocketAddress& to);

}  // namespace semel::egress
