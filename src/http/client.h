// client.h: sends sealed requests and reports what came back, as facts. It is step 10 of docs/life-of-an-event.md.
//
// Contract:  each call puts at most one request on the wire. One deadline covers resolving, connecting, TLS, request
// and
//            answer. Redirects are never followed, bodies never decoded; Refresh, Alt-Svc, cookies and proxy variables
//            mean nothing here.
// Bounds:    32 KiB and 100 lines of headers in an answer, interim ones included; 64 KiB of body, of which 1 KiB is
//            kept; idle connections as in pool.h.
// On a crash: nothing is remembered; an attempt without outcome is named by the engine at the next start.
#pragma once

#include "core/egress/address.h"
#include "http/guard.h"
#include "http/pool.h"
#include "http/response_reader.h"
#include "port/clock.h"
#include "port/exchange.h"
#include "port/net.h"

namespace semel::http {

struct ExchangeOptions {
  ResponseLimits response;
  PoolLimits pool;
};

class HttpExchange final : public Exchange {
 public:
  // Everything given by reference must outlive this; no exchange may be under way when this is destroyed.
  HttpExchange(Net& net, Resolver& resolver, Clock& clock, egress::EgressRules rules, ExchangeOptions options = {})
      : clock_(clock), options_(options), guard_(net, resolver, clock, std::move(rules)), pool_(clock, options.pool) {}

  Co<Outcome> exchange(SealedRequest request) override;

  std::size_t idle_connections() const { return pool_.idle(); }

 private:
  Co<Outcome> exchange_within(const SealedRequest& request, Cancel& total);

  Clock& clock_;
  ExchangeOptions options_;
  Guard guard_;
  Pool pool_;
};

}  // namespace semel::http
