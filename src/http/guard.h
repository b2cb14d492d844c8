// guard.h: the only way out to an endpoint: resolve, check every answer, connect to a checked address.
//
// Invariant: no connection is made to an address that core/egress/address.h does not allow at this moment; a stream is
//            handed out only when its peer is that address. A name is looked up once per connection, so nothing can
//            change between check and connect. One denied answer denies them all.
// Says:      the same words for every denied destination, and no address (docs/design/egress.md).
#pragma once

#include <expected>
#include <memory>

#include "core/egress/address.h"
#include "core/egress/url.h"
#include "http/dial.h"
#include "port/clock.h"
#include "port/net.h"

namespace semel::http {

class Guard {
 public:
  Guard(Net& net, Resolver& resolver, Clock& clock, egress::EgressRules rules)
      : net_(net), resolver_(resolver), clock_(clock), rules_(std::move(rules)) {}

  // Until `total` is requested. `url` must live until completion.
  Co<Dialed> connect(const egress::Url& url, Cancel& total);

 private:
  using Addresses = std::expected<std::vector<SocketAddress>, NoAnswer>;
  Co<Addresses> addresses_of(const egress::Url& url, Cancel& total);
  Co<Addresses> resolve(const egress::Url& url, Cancel& total);

  Net& net_;
  Resolver& resolver_;
  Clock& clock_;
  egress::EgressRules rules_;
};

}  // namespace semel::http
