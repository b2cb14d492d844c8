// address.cc: reading and writing addresses, and the two questions about them: is it public, may we connect.
#include "core/egress/address.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <span>

#include <fmt/format.h>

namespace semel::egress {
namespace {

using Family = IpAddress::Family;

constexpr IpAddress v4(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d) {
  return {Family::v4, {a, b, c, d}};
}
constexpr IpAddress v6(std::uint16_t a, std::uint16_t b = 0, std::uint16_t c = 0) {
  const auto high = [](std::uint16_t group) { return static_cast<std::uint8_t>(group >> 8); };
  const auto low = [](std::uint16_t group) { return static_cast<std::uint8_t>(group); };
  return {Family::v6, {high(a), low(a), high(b), low(b), high(c), low(c)}};
}

// Everything of the IANA IPv4 special-purpose registry, also what it calls globally reachable (no webhook receiver
// lives on an AS112 or AMT relay), multicast, and the address on which one public cloud serves its machines.
constexpr Network kSpecialV4[] = {
    {v4(0, 0, 0, 0), 8},         // this network
    {v4(10, 0, 0, 0), 8},        // private use
    {v4(100, 64, 0, 0), 10},     // carrier-grade NAT
    {v4(127, 0, 0, 0), 8},       // loopback
    {v4(168, 63, 129, 16), 32},  // a cloud's metadata and DNS under a public number
    {v4(169, 254, 0, 0), 16},    // link local, metadata services
    {v4(172, 16, 0, 0), 12},     // private use
    {v4(192, 0, 0, 0), 24},      // IETF protocol assignments
    {v4(192, 0, 2, 0), 24},      // documentation
    {v4(192, 31, 196, 0), 24},   // AS112
    {v4(192, 52, 193, 0), 24},   // AMT relays
    {v4(192, 88, 99, 0), 24},    // 6to4 relays
    {v4(192, 168, 0, 0), 16},    // private use
    {v4(192, 175, 48, 0), 24},   // AS112
    {v4(198, 18, 0, 0), 15},     // benchmarking
    {v4(198, 51, 100, 0), 24},   // documentation
    {v4(203, 0, 113, 0), 24},    // documentation
    {v4(224, 0, 0, 0), 4},       // multicast
    {v4(240, 0, 0, 0), 4},       // reserved, broadcast
};

constexpr Network kGlobalUnicastV6 = {v6(0x2000), 3};

// Special ranges inside global unicast; whatever lies outside of it is denied as a whole.
constexpr Network kSpecialV6[] = {
    {v6(0x2001), 23},                  // IETF protocol assignments: Teredo, ORCHID, benchmarking, ..
    {v6(0x2001, 0x0db8), 32},          // documentation
    {v6(0x2002), 16},                  // 6to4: an IPv4 address in disguise
    {v6(0x2620, 0x004f, 0x8000), 48},  // AS112
    {v6(0x3fff), 20},                  // documentation
};

constexpr std::uint16_t kDefaultPorts[] = {443, 80, 8443, 8080};

int width_of(Family family) { return family == Family::v4 ? 32 : 128; }

bool in_network(const Network& network, const IpAddress& ip) {
  if (network.address.family != ip.family) return false;
  const auto whole = static_cast<std::size_t>(network.prefix_length / 8);
  if (!std::equal(ip.bytes.begin(), ip.bytes.begin() + static_cast<std::ptrdiff_t>(whole),
                  network.address.bytes.begin()))
    return false;
  const int rest = network.prefix_length % 8;
  return rest == 0 || ((ip.bytes[whole] ^ network.address.bytes[whole]) >> (8 - rest)) == 0;
}

bool in_any(std::span<const Network> networks, const IpAddress& ip) {
  return std::ranges::any_of(networks, [&](const Network& network) { return in_network(network, ip); });
}

// ISATAP (RFC 5214) puts an IPv4 address behind the interface id 0000:5efe or 0200:5efe.
std::optional<IpAddress> isatap_v4(const IpAddress& ip) {
  const auto& b = ip.bytes;
  const bool isatap = (b[8] == 0x00 || b[8] == 0x02) && b[9] == 0x00 && b[10] == 0x5e && b[11] == 0xfe;
  if (!isatap) return std::nullopt;
  return v4(b[12], b[13], b[14], b[15]);
}

// A decimal number without sign or leading zero, at most `max`.
std::optional<std::uint32_t> parse_decimal(std::string_view text, std::uint32_t max) {
  const bool digits =
      !text.empty() && text.size() <= 5 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  std::uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number <= max ? std::optional(number) : std::nullopt;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::optional<IpAddress> parse_v4(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, '.');
  if (parts.size() != 4) return std::nullopt;
  IpAddress ip;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto number = parse_decimal(parts[i], 255);
    if (!number) return std::nullopt;
    ip.bytes[i] = static_cast<std::uint8_t>(*number);
  }
  return ip;
}

using Bytes = std::vector<std::uint8_t>;

bool append_group(Bytes& bytes, std::string_view group) {
  std::uint16_t number = 0;
  const char* end = group.data() + group.size();
  const auto [read, error] = std::from_chars(group.data(), end, number, 16);
  if (group.size() > 4 || error != std::errc{} || read != end) return false;
  bytes.push_back(static_cast<std::uint8_t>(number >> 8));
  bytes.push_back(static_cast<std::uint8_t>(number));
  return true;
}

// One side of "::". Only the last group of the whole address may be a dotted quad.
std::optional<Bytes> parse_groups(std::string_view text, bool may_end_in_v4) {
  Bytes bytes;
  if (text.empty()) return bytes;
  const std::vector<std::string_view> groups = split(text, ':');
  for (const std::string_view& group : groups) {
    const bool last = &group == &groups.back();
    if (last && may_end_in_v4 && group.contains('.')) {
      const auto quad = parse_v4(group);
      if (!quad) return std::nullopt;
      bytes.insert(bytes.end(), quad->bytes.begin(), quad->bytes.begin() + 4);
    } else if (!append_group(bytes, group)) {
      return std::nullopt;
    }
  }
  return bytes;
}

std::optional<IpAddress> parse_v6(std::string_view text) {
  const std::size_t gap = text.find("::");
  const bool has_gap = gap != std::string_view::npos;
  const auto head = parse_groups(text.substr(0, gap), !has_gap);
  const auto tail = parse_groups(has_gap ? text.substr(gap + 2) : std::string_view(), true);
  if (!head || !tail) return std::nullopt;
  const std::size_t given = head->size() + tail->size();
  if (has_gap ? given > 14 : given != 16) return std::nullopt;
  IpAddress ip{.family = Family::v6};
  std::ranges::copy(*head, ip.bytes.begin());
  std::ranges::copy(*tail, ip.bytes.end() - static_cast<std::ptrdiff_t>(tail->size()));
  return ip;
}

std::string format_quad(const std::uint8_t* bytes) {
  return fmt::format("{}.{}.{}.{}", bytes[0], bytes[1], bytes[2], bytes[3]);
}

struct Run {
  std::size_t begin = 0;
  std::size_t length = 0;
};

// The longest run of zero groups, the first of equals; RFC 5952 section 4.2 shortens it when it is two or more.
Run longest_zero_run(std::span<const std::uint16_t> groups) {
  Run longest;
  Run current;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    current = groups[i] != 0 ? Run{i + 1, 0} : Run{current.begin, current.length + 1};
    if (current.length > longest.length) longest = current;
  }
  return longest;
}

std::string join_hex(std::span<const std::uint16_t> groups) {
  std::string text;
  for (const std::uint16_t group : groups)
    fmt::format_to(std::back_inserter(text), "{}{:x}", text.empty() ? "" : ":", group);
  return text;
}

std::string format_v6(const IpAddress& ip) {
  static constexpr Network kMapped = {{Family::v6, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}}, 96};
  if (in_network(kMapped, ip)) return "::ffff:" + format_quad(&ip.bytes[12]);
  std::array<std::uint16_t, 8> groups;
  for (std::size_t i = 0; i < 8; ++i)
    groups[i] = static_cast<std::uint16_t>(ip.bytes[2 * i] << 8 | ip.bytes[2 * i + 1]);
  const std::span<const std::uint16_t> all(groups);
  const Run run = longest_zero_run(all);
  if (run.length < 2) return join_hex(all);
  return join_hex(all.first(run.begin)) + "::" + join_hex(all.subspan(run.begin + run.length));
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  const auto number = parse_decimal(text, 65535);
  return number ? std::optional(static_cast<std::uint16_t>(*number)) : std::nullopt;
}

Result<AllowedRange::Ports> parse_ports(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = parse_port(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_port(text.substr(dash + 1));
  if (!first || !last || *first == 0 || *first > *last)
    return fail(Fault::invalid, "ports are PORT or PORT-PORT, 1 to 65535, separated by commas");
  return AllowedRange::Ports{*first, *last};
}

}  // namespace

std::optional<IpAddress> parse_ip(std::string_view text) {
  return text.contains(':') ? parse_v6(text) : parse_v4(text);
}

std::string format_ip(const IpAddress& ip) {
  return ip.family == Family::v4 ? format_quad(ip.bytes.data()) : format_v6(ip);
}

std::string format_socket_address(const SocketAddress& at) {
  return at.ip.family == Family::v4 ? fmt::format("{}:{}", format_ip(at.ip), at.port)
                                    : fmt::format("[{}]:{}", format_ip(at.ip), at.port);
}

std::optional<SocketAddress> parse_socket_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  const auto ip = parse_ip(host);
  const auto port = parse_port(text.substr(colon + 1));
  if (!ip || !port || bracketed != (ip->family == Family::v6)) return std::nullopt;
  return SocketAddress{*ip, *port};
}

bool is_loopback(const IpAddress& ip) {
  static constexpr Network kLoopback[] = {
      {v4(127, 0, 0, 0), 8},
      {{Family::v6, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}}, 128},
  };
  return in_any(kLoopback, ip);
}

bool is_public(const IpAddress& ip) {
  if (ip.family == Family::v4) return !in_any(kSpecialV4, ip);
  if (!in_network(kGlobalUnicastV6, ip) || in_any(kSpecialV6, ip)) return false;
  const auto embedded = isatap_v4(ip);
  return !embedded || is_public(*embedded);
}

Result<Network> parse_network(std::string_view cidr) {
  const std::size_t slash = cidr.find('/');
  const auto address = parse_ip(cidr.substr(0, slash));
  if (slash == std::string_view::npos || !address)
    return fail(Fault::invalid, "a range is ADDRESS/LENGTH, as 10.0.0.0/8");
  const auto length = parse_decimal(cidr.substr(slash + 1), static_cast<std::uint32_t>(width_of(address->family)));
  if (!length) return fail(Fault::invalid, "the length of a range is 0 to 32, or to 128 for IPv6");
  Network network{*address, static_cast<int>(*length)};
  for (int bit = network.prefix_length; bit < width_of(address->family); ++bit) {
    if ((address->bytes[static_cast<std::size_t>(bit / 8)] >> (7 - bit % 8)) & 1)
      return fail(Fault::invalid, "the address of a range has bits set behind its length");
  }
  return network;
}

Result<AllowedRange> parse_allowed_range(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::size_t colon = slash == std::string_view::npos ? slash : text.find(':', slash);
  SEMEL_TRY(network, parse_network(text.substr(0, colon)));
  AllowedRange range{.network = network.address, .prefix_length = network.prefix_length, .ports = {}};
  if (colon == std::string_view::npos) return range;
  for (const std::string_view part : split(text.substr(colon + 1), ',')) {
    SEMEL_TRY(ports, parse_ports(part));
    range.ports.push_back(ports);
  }
  return range;
}

bool is_default_port(std::uint16_t port) { return std::ranges::find(kDefaultPorts, port) != std::end(kDefaultPorts); }

bool contains(const AllowedRange& range, const IpAddress& ip) {
  return in_network({range.network, range.prefix_length}, ip);
}

bool opens_port(const AllowedRange& range, std::uint16_t port) {
  if (range.ports.empty()) return is_default_port(port);
  return std::ranges::any_of(range.ports, [&](const auto& ports) { return ports.first <= port && port <= ports.last; });
}

bool may_connect(const EgressRules& rules, Scheme scheme, const SocketAddress& to) {
  const bool opened = std::ranges::any_of(
      rules.allowed, [&](const AllowedRange& range) { return contains(range, to.ip) && opens_port(range, to.port); });
  if (opened) return true;
  return scheme == Scheme::https && is_default_port(to.port) && is_public(to.ip) &&
         std::ranges::find(rules.own_addresses, to.ip) == rules.own_addresses.end() &&
         !in_any(rules.nat64_prefixes, to.ip);
}

}  // namespace semel::egress
