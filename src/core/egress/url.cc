// url.cc: scheme, host, port and target are cut apart once, each is checked by itself, then the rules are asked.
#include "core/egress/url.h"

#include <algorithm>
#include <charconv>
#include <memory>

#include <fmt/format.h>
#include <idn2.h>

namespace semel::egress {
namespace {

constexpr std::size_t kUrlLengthMax = 2048;
constexpr std::size_t kNameLengthMax = 253;  // RFC 1035 section 2.3.4, without the root's dot
constexpr std::size_t kLabelLengthMax = 63;

constexpr std::string_view kLocalhost = "localhost";
// Names that mean something only inside one machine, one network or one cluster.
constexpr std::string_view kDeniedSuffixes[] = {".localhost", ".local", ".internal", ".svc", ".cluster.local"};

struct Parts {
  std::string_view scheme;
  std::string_view authority;
  std::string_view target;
};

struct HostPort {
  std::string_view host;  // an IPv6 address still in its brackets
  std::optional<std::string_view> port;
};

struct Host {
  std::string text;
  std::optional<IpAddress> literal;
};

std::unexpected<Error> invalid(std::string note) { return fail(Fault::invalid, std::move(note)); }
std::unexpected<Error> forbidden(std::string note) { return fail(Fault::forbidden, std::move(note)); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }
bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}
bool is_visible(char c) { return c > 0x20 && c < 0x7f; }

std::string to_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

Result<void> check_length(std::string_view text) {
  if (text.size() > kUrlLengthMax) return invalid(fmt::format("a URL has at most {} bytes", kUrlLengthMax));
  return {};
}

// Control characters, space, backslash and fragments are where readers of URLs differ most.
Result<void> check_characters(std::string_view text) {
  SEMEL_TRY_VOID(check_length(text));
  const auto is_bad = [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f || c == '\\'; };
  if (std::ranges::any_of(text, is_bad)) return invalid("a URL has no control character, space or backslash");
  if (text.contains('#')) return invalid("an endpoint's URL has no fragment");
  return {};
}

Result<Parts> cut(std::string_view text) {
  const std::size_t colon = text.find("://");
  if (colon == std::string_view::npos || colon == 0) return invalid("a URL begins with https://");
  const std::string_view rest = text.substr(colon + 3);
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  return Parts{text.substr(0, colon), rest.substr(0, end), rest.substr(end)};
}

Result<Scheme> read_scheme(std::string_view text) {
  const std::string lower = to_lower(text);
  if (lower == "https") return Scheme::https;
  if (lower == "http") return Scheme::http;
  if (std::ranges::all_of(lower, is_lower)) return forbidden("only https is allowed");
  return invalid("a URL begins with https://");
}

Result<HostPort> cut_authority(std::string_view authority) {
  if (authority.contains('@')) return invalid("a URL has no user name or password");
  const std::size_t bracket = authority.starts_with('[') ? authority.find(']') : 0;
  if (bracket == std::string_view::npos) return invalid("an IPv6 address ends with a bracket");
  const std::size_t colon = authority.find(':', bracket);
  const HostPort parts{authority.substr(0, colon),
                       colon == std::string_view::npos ? std::nullopt : std::optional(authority.substr(colon + 1))};
  if (parts.host.empty()) return invalid("a URL has a host");
  return parts;
}

Result<std::uint16_t> read_port(std::string_view text) {
  std::uint16_t port = 0;
  const bool digits = !text.empty() && std::ranges::all_of(text, is_digit) && text[0] != '0';
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (!digits || error != std::errc{}) return invalid("a port is a number from 1 to 65535");
  return port;
}

// UTS 46 non-transitional, and back again for A-labels, so that a label that only looks like one is refused. The
// library's option for host name characters is not used: it drops the others in silence.
Result<std::string> to_a_labels(const std::string& name) {
  char* out = nullptr;
  const int status = idn2_lookup_u8(reinterpret_cast<const std::uint8_t*>(name.c_str()),
                                    reinterpret_cast<std::uint8_t**>(&out), IDN2_NONTRANSITIONAL | IDN2_NFC_INPUT);
  const std::unique_ptr<char, void (*)(void*)> owned(out, idn2_free);
  if (status != IDN2_OK) return invalid("the host is not a valid international name");
  return to_lower(owned.get());
}

bool is_label(std::string_view label) {
  const auto is_ldh = [](char c) { return is_digit(c) || is_lower(c) || c == '-'; };
  return !label.empty() && label.size() <= kLabelLengthMax && label.front() != '-' && label.back() != '-' &&
         std::ranges::all_of(label, is_ldh);
}

bool is_host_name(std::string_view name) {
  if (name.size() > kNameLengthMax) return false;
  while (true) {
    const std::size_t dot = name.find('.');
    if (!is_label(name.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    name.remove_prefix(dot + 1);
  }
}

// Some resolver would read it as an IPv4 address (WHATWG URL, "ends in a number checker").
bool ends_in_a_number(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? name : name.substr(dot + 1);
  if (std::ranges::all_of(last, is_digit)) return true;
  return last.starts_with("0x") && std::ranges::all_of(last.substr(2), is_hex);
}

Result<Host> read_name(std::string_view text) {
  std::string name = to_lower(text);
  if (!is_ascii(name) || name.contains("xn--")) {
    SEMEL_TRY(a_labels, to_a_labels(name));
    name = std::move(a_labels);
  }
  if (name.ends_with('.')) name.pop_back();
  if (!is_host_name(name)) return invalid("the host is neither a name of letters, digits and hyphens nor an address");
  if (ends_in_a_number(name)) return invalid("a numeric host is four decimal numbers without leading zeros");
  return Host{std::move(name), std::nullopt};
}

Result<Host> read_host(std::string_view text) {
  const bool bracketed = text.starts_with('[');
  if (bracketed && !text.ends_with(']')) return invalid("nothing but a port follows an IPv6 address");
  const auto literal = parse_ip(bracketed ? text.substr(1, text.size() - 2) : text);
  if (bracketed && (!literal || literal->family != IpAddress::Family::v6))
    return invalid("in brackets stands an IPv6 address without zone");
  return literal ? Host{format_ip(*literal), literal} : read_name(text);
}

Result<std::string> read_target(std::string_view text) {
  if (!std::ranges::all_of(text, is_visible))
    return invalid("path and query are visible ASCII; escape the rest as %XX");
  return text.starts_with('/') ? std::string(text) : "/" + std::string(text);
}

bool is_local_name(std::string_view name) {
  return !name.contains('.') ||
         std::ranges::any_of(kDeniedSuffixes, [&](std::string_view suffix) { return name.ends_with(suffix); });
}

bool covers_localhost(const AllowedRange& range) {
  static const IpAddress kLoopback[] = {parse_ip("127.0.0.1").value(), parse_ip("::1").value()};
  return std::ranges::any_of(kLoopback, [&](const IpAddress& ip) { return contains(range, ip); });
}

// What can be said before the name is resolved; may_connect has the last word on each address.
Result<void> check_name(const Url& url, const EgressRules& rules) {
  const bool localhost = url.host == kLocalhost;
  const bool localhost_open = localhost && std::ranges::any_of(rules.allowed, covers_localhost);
  if (is_local_name(url.host) && !localhost_open) return forbidden("local names are not allowed");
  const bool range_open = std::ranges::any_of(rules.allowed, [&](const AllowedRange& range) {
    return opens_port(range, url.port) && (!localhost || covers_localhost(range));
  });
  if (range_open) return {};
  if (localhost || !is_default_port(url.port)) return forbidden("this port is not allowed");
  if (url.scheme == Scheme::http) return forbidden("plain http is allowed only inside an allowed range");
  return {};
}

Result<void> check_rules(const Url& url, const EgressRules& rules) {
  if (!url.literal) return check_name(url, rules);
  if (!may_connect(rules, url.scheme, {*url.literal, url.port}))
    return forbidden("this address, port or scheme is not allowed");
  return {};
}

std::uint16_t default_port(Scheme scheme) { return scheme == Scheme::https ? 443 : 80; }

}  // namespace

std::string Url::host_header() const {
  const bool v6 = literal && literal->family == IpAddress::Family::v6;
  std::string header = v6 ? "[" + host + "]" : host;
  if (port != default_port(scheme)) header += fmt::format(":{}", port);
  return header;
}

std::string Url::text() const {
  return fmt::format("{}://{}{}", scheme == Scheme::https ? "https" : "http", host_header(), target);
}

Result<Url> parse_url(std::string_view text, const EgressRules& rules) {
  SEMEL_TRY(url, read_url(text));
  SEMEL_TRY_VOID(check_rules(url, rules));
  return url;
}

Result<Url> read_url(std::string_view text) {
  SEMEL_TRY_VOID(check_characters(text));
  SEMEL_TRY(parts, cut(text));
  SEMEL_TRY(scheme, read_scheme(parts.scheme));
  SEMEL_TRY(authority, cut_authority(parts.authority));
  SEMEL_TRY(host, read_host(authority.host));
  SEMEL_TRY(port, authority.port ? read_port(*authority.port) : Result<std::uint16_t>(default_port(scheme)));
  SEMEL_TRY(target, read_target(parts.target));
  Url url{scheme, std::move(host.text), host.literal, port, std::move(target)};
  SEMEL_TRY_VOID(check_length(url.text()));
  return url;
}

}  // namespace semel::egress
