// exchange.h: one signed request out, one outcome back. Implemented by src/http on port/net; the simulator runs that
// same implementation.
#pragma once

#include <memory>
#include <string>

#include "base/keys.h"
#include "base/time.h"
#include "core/egress/url.h"
#include "core/retry/outcome.h"
#include "port/co.h"

namespace semel {

// What names a pool of connections: requests of different owners or settings never share one.
struct PoolKey {
  TenantKey tenant;
  EndpointKey endpoint;
  Version config;  // of the endpoint; a change starts fresh connections
  friend auto operator<=>(const PoolKey&, const PoolKey&) = default;
};

struct SealedRequest {
  PoolKey pool;
  egress::Url url;
  std::string headers;  // complete header lines beside Host, Content-Length and Connection, each ending in CRLF
  std::string body;
  milliseconds timeout;           // total, over resolving, connecting, TLS, request and answer
  bool fresh_connection = false;  // do not take one from the pool
};

class Exchange {
 public:
  virtual ~Exchange() = default;
  // Sends once, never again by itself: every request on the wire is one call. Never follows, never decodes.
  virtual Co<Outcome> exchange(SealedRequest request) = 0;
};

}  // namespace semel
