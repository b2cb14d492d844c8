// simple_client.h: a plain HTTP client for Semel's own command line. It goes where its user sends it: no egress guard.
// Requests to endpoints go through client.h, never through this.
//
// Contract:  each call puts at most one request on the wire, under one deadline; redirects are not followed.
// Faults:    invalid: the URL; unavailable: surely not processed; timed_out, unknown_outcome: the request may have been
//            processed; busy: the answer's body is over `body_max`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "core/egress/url.h"
#include "http/dial.h"
#include "http/pool.h"
#include "port/clock.h"
#include "port/net.h"

namespace semel::http {

struct SimpleRequest {
  std::string method = "GET";
  std::string url;  // http or https; a name or an address, port, path and query
  std::vector<std::pair<std::string, std::string>> headers;  // beside Host and Content-Length
  std::string body;
  milliseconds timeout{30'000};
  std::size_t body_max = 16 * 1024 * 1024;  // of the answer
};

struct SimpleAnswer {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;

  // The value of the only header line of that name.
  std::optional<std::string_view> header(std::string_view name) const;
};

class SimpleClient {
 public:
  // Everything given must outlive this; no request may be under way when this is destroyed.
  SimpleClient(Net& net, Resolver& resolver, Clock& clock)
      : net_(net), resolver_(resolver), clock_(clock), pool_(clock, PoolLimits{}) {}

  Co<Result<SimpleAnswer>> request(SimpleRequest request);

 private:
  Co<Result<SimpleAnswer>> request_within(const SimpleRequest& request, const egress::Url& url, Cancel& total);
  Co<Result<Connection>> connect(const egress::Url& url, Cancel& total);
  Co<Result<std::vector<SocketAddress>>> addresses_of(const egress::Url& url, Cancel& total);

  Net& net_;
  Resolver& resolver_;
  Clock& clock_;
  Pool pool_;
};

// Lenient beside egress::parse_url: any port, single-label names, http everywhere. Fault::invalid.
Result<egress::Url> parse_any_url(std::string_view text);

}  // namespace semel::http
