// url.h: the strict reading of an endpoint's URL. What two readers could understand differently is refused.
//
// Decides: whether a URL may name an endpoint, before any name is resolved. Rules: docs/design/egress.md 1 and 2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/egress/address.h"

namespace semel::egress {

struct Url {
  Scheme scheme = Scheme::https;
  std::string host;                  // lower case, A-labels, no trailing dot; an IPv6 address without brackets
  std::optional<IpAddress> literal;  // set when the host is an address
  std::uint16_t port = 443;
  std::string target;  // path and query as they go into the request line; at least "/"

  std::string text() const;         // the URL in its normal form
  std::string host_header() const;  // host, brackets for IPv6, port unless it is the scheme's default
};

// Fault::invalid: not a URL Semel understands in one way only; Fault::forbidden: understood and denied by name, port,
// scheme or literal address. Both notes are fit for the person who configures the endpoint.
Result<Url> parse_url(std::string_view text, const EgressRules& rules);

// The same reading without the rules: for a URL that was judged when it was stored. may_connect still judges each
// address before a connection.
Result<Url> read_url(std::string_view text);

}  // namespace semel::egress
