// address_fuzz.cc: addresses, with ports and as ranges: read as the C library reads them, written in one form, and
// nothing that is not public may be connected to unless a range opens it.
#include "core/egress/address.h"

#include <arpa/inet.h>

#include <string>

#include "fuzz/fuzz.h"

namespace semel::fuzz {
namespace {

using egress::AllowedRange;
using egress::IpAddress;

std::optional<IpAddress> as_the_library_reads(const std::string& text) {
  if (text.contains('\0')) return std::nullopt;
  IpAddress ip{.family = IpAddress::Family::v4};
  if (inet_pton(AF_INET, text.c_str(), ip.bytes.data()) == 1) return ip;
  ip = {.family = IpAddress::Family::v6};
  if (inet_pton(AF_INET6, text.c_str(), ip.bytes.data()) == 1) return ip;
  return std::nullopt;
}

bool may_connect(const egress::EgressRules& rules, const IpAddress& ip) {
  return egress::may_connect(rules, egress::Scheme::https, {ip, 443});
}

void check_address(std::string_view text) {
  const std::optional<IpAddress> ip = egress::parse_ip(text);
  SEMEL_CHECK(ip == as_the_library_reads(std::string(text)));
  if (!ip) return;
  SEMEL_CHECK(egress::parse_ip(egress::format_ip(*ip)) == ip);
  SEMEL_CHECK(may_connect({}, *ip) == egress::is_public(*ip));
  SEMEL_CHECK(!egress::is_loopback(*ip) || !egress::is_public(*ip));
  SEMEL_CHECK(!may_connect({.allowed = {}, .own_addresses = {*ip}}, *ip));
  SEMEL_CHECK(may_connect({.allowed = {AllowedRange{.network = *ip, .prefix_length = 0, .ports = {}}}}, *ip));
  SEMEL_CHECK(!egress::may_connect({}, egress::Scheme::http, {*ip, 443}));
  SEMEL_CHECK(!egress::may_connect({}, egress::Scheme::https, {*ip, 22}));
}

void check_socket_address(std::string_view text) {
  const auto at = egress::parse_socket_address(text);
  if (!at) return;
  SEMEL_CHECK(egress::parse_socket_address(egress::format_socket_address(*at)) == at);
}

void check_range(std::string_view text) {
  const Result<AllowedRange> range = egress::parse_allowed_range(text);
  if (!range) {
    SEMEL_CHECK(is_plain(range.error().note));
    return;
  }
  const bool v4 = range->network.family == IpAddress::Family::v4;
  SEMEL_CHECK(range->prefix_length >= 0 && range->prefix_length <= (v4 ? 32 : 128));
  SEMEL_CHECK(egress::contains(*range, range->network));
  for (const AllowedRange::Ports& ports : range->ports) {
    SEMEL_CHECK(ports.first >= 1 && ports.first <= ports.last);
    SEMEL_CHECK(egress::opens_port(*range, ports.first) && egress::opens_port(*range, ports.last));
  }
  SEMEL_CHECK(!egress::opens_port(*range, 0));
}

void check_network(std::string_view text) {
  const Result<egress::Network> network = egress::parse_network(text);
  if (!network) return;
  const Result<AllowedRange> range = egress::parse_allowed_range(text);
  SEMEL_CHECK(range.has_value());
  SEMEL_CHECK(range->network == network->address && range->prefix_length == network->prefix_length);
  const std::string again = egress::format_ip(network->address) + "/" + std::to_string(network->prefix_length);
  SEMEL_CHECK(egress::parse_network(again).value().address == network->address);
}

}  // namespace

void address(std::string_view bytes) {
  check_address(bytes);
  check_socket_address(bytes);
  check_range(bytes);
  check_network(bytes);
}

}  // namespace semel::fuzz
