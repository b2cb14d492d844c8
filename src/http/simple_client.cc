// simple_client.cc: requests of the command line.
#include "http/simple_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "http/converse.h"
#include "http/deadline.h"
#include "http/fields.h"

namespace semel::http {
namespace {

constexpr IpAddress kLoopback4{.family = IpAddress::Family::v4, .bytes = {127, 0, 0, 1}};
constexpr IpAddress kLoopback6{.family = IpAddress::Family::v6,
                               .bytes = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};

bool is_visible(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7f; });
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

// The host and, behind a colon, the port of `authority`.
bool split_authority(std::string_view authority, egress::Url& url) {
  std::string_view port;
  if (authority.starts_with('[')) {
    const std::size_t bracket = authority.find(']');
    if (bracket == std::string_view::npos) return false;
    url.host = authority.substr(1, bracket - 1);
    port = authority.substr(bracket + 1);
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    url.host = to_lower(authority.substr(0, colon));
    port = authority.substr(colon);
  }
  if (url.host.empty() || url.host.contains('@')) return false;
  url.literal = egress::parse_ip(url.host);
  if (authority.starts_with('[') && !url.literal) return false;
  if (port.empty()) return true;
  const std::optional<std::uint16_t> number = port.starts_with(':') ? parse_port(port.substr(1)) : std::nullopt;
  if (number) url.port = *number;
  return number.has_value();
}

Result<std::string> text_of(const SimpleRequest& request, const egress::Url& url) {
  if (!is_token(request.method)) return fail(Fault::invalid, "the method is not a token");
  std::string text = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n", request.method, url.target,
                                 url.host_header(), request.body.size());
  for (const auto& [name, value] : request.headers) {
    if (!is_token(name) || !is_field_value(value)) return fail(Fault::invalid, "the header " + name + " is malformed");
    fmt::format_to(std::back_inserter(text), "{}: {}\r\n", name, value);
  }
  text += "\r\n";
  text += request.body;
  return text;
}

Error error_of(const NoAnswer& none, const egress::Url& url) {
  return {Fault::unavailable,
          fmt::format("{}:{}: {}", url.host, url.port, none.note.empty() ? "no connection" : none.note)};
}

Result<SimpleAnswer> answer_of(Ended ended, ResponseReader& response) {
  switch (ended) {
    case Ended::complete:
    case Ended::leftover:
      break;
    case Ended::over_cap:
      return fail(Fault::busy, "the answer is too large");
    case Ended::malformed:
      return fail(Fault::unknown_outcome, "the answer is not HTTP");
    case Ended::lost:
      return fail(Fault::unknown_outcome, "the connection was lost before the answer was complete");
    case Ended::timed_out:
      return fail(Fault::timed_out, "no complete answer in time");
  }
  SimpleAnswer answer{.status = response.status(), .headers = {}, .body = std::move(response.body())};
  for (const Field& field : response.fields()) answer.headers.emplace_back(to_lower(field.name), field.value);
  return answer;
}

}  // namespace

Result<egress::Url> parse_any_url(std::string_view text) {
  egress::Url url;
  std::string_view rest = text;
  const auto has_scheme = [&](std::string_view scheme) {
    return rest.size() >= scheme.size() && equal_ignoring_case(rest.substr(0, scheme.size()), scheme);
  };
  if (has_scheme("http://")) {
    url.scheme = egress::Scheme::http;
    url.port = 80;
    rest.remove_prefix(7);
  } else if (has_scheme("https://")) {
    url.scheme = egress::Scheme::https;
    url.port = 443;
    rest.remove_prefix(8);
  } else {
    return fail(Fault::invalid, "the URL must begin with http:// or https://");
  }
  const std::size_t path = std::min(rest.find_first_of("/?"), rest.size());
  const std::string_view target = rest.substr(path);
  if (!is_visible(rest) || rest.contains('#') || !split_authority(rest.substr(0, path), url))
    return fail(Fault::invalid, "the URL's host, port or path cannot be read");
  url.target = target.starts_with('/') ? std::string(target) : "/" + std::string(target);
  return url;
}

std::optional<std::string_view> SimpleAnswer::header(std::string_view name) const {
  std::optional<std::string_view> found;
  for (const auto& [header_name, value] : headers) {
    if (header_name != name) continue;
    if (found) return std::nullopt;
    found = value;
  }
  return found;
}

Co<Result<SimpleAnswer>> SimpleClient::request(SimpleRequest request) {
  const Result<egress::Url> url = parse_any_url(request.url);
  if (!url) co_return std::unexpected(url.error());
  Cancel total;
  Deadline deadline(clock_, clock_.now() + request.timeout, total);
  Result<SimpleAnswer> answer = co_await request_within(request, *url, total);
  deadline.stop();
  co_return answer;
}

Co<Result<SimpleAnswer>> SimpleClient::request_within(const SimpleRequest& request, const egress::Url& url,
                                                      Cancel& total) {
  const Result<std::string> text = text_of(request, url);
  if (!text) co_return std::unexpected(text.error());
  const ConnectionKey key{.owner = {}, .scheme = url.scheme, .host = url.host, .port = url.port};
  std::optional<Connection> connection = pool_.take(key);
  if (!connection) {
    Result<Connection> connected = co_await connect(url, total);
    if (!connected) co_return std::unexpected(std::move(connected).error());
    connection = *std::move(connected);
  }
  if (total.requested()) co_return std::unexpected(error_of(timed_out_before_request(), url));
  ResponseLimits limits;
  limits.body = {.max = request.body_max, .kept = request.body_max};
  ResponseReader response(limits, request.method == "HEAD" ? ResponseReader::To::head : ResponseReader::To::other);
  const Ended ended = co_await converse(*connection->stream, *text, response, total);
  if (ended == Ended::complete && response.keeps_connection()) pool_.put(key, *std::move(connection));
  co_return answer_of(ended, response);
}

Co<Result<Connection>> SimpleClient::connect(const egress::Url& url, Cancel& total) {
  Result<std::vector<SocketAddress>> addresses = co_await addresses_of(url, total);
  if (!addresses) co_return std::unexpected(std::move(addresses).error());
  std::optional<TlsName> tls;
  if (url.scheme == egress::Scheme::https) tls = TlsName{url.host};
  Dialed dialed = co_await dial(net_, clock_, *std::move(addresses), std::move(tls), total);
  if (!dialed) co_return std::unexpected(error_of(dialed.error(), url));
  co_return Connection{.stream = *std::move(dialed), .connected_at = clock_.now()};
}

Co<Result<std::vector<SocketAddress>>> SimpleClient::addresses_of(const egress::Url& url, Cancel& total) {
  const auto with_port = [&](const std::vector<IpAddress>& ips) {
    std::vector<SocketAddress> addresses;
    for (const IpAddress& ip : ips) addresses.push_back({.ip = ip, .port = url.port});
    return addresses;
  };
  if (url.literal) co_return with_port({*url.literal});
  if (url.host == "localhost") co_return with_port({kLoopback4, kLoopback6});
  using Answers = Result<std::vector<IpAddress>>;
  Answers answers =
      co_await call<Answers>([&](Done<Answers> done) { resolver_.start_resolve(url.host, total, std::move(done)); });
  if (!answers || answers->empty()) co_return fail(Fault::unavailable, url.host + ": the name could not be resolved");
  co_return with_port(*answers);
}

}  // namespace semel::http
