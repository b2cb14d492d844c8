// api_call.h: what every handler is given: the parts of the server it may use, and one request that has passed the
// door (api/api.cc): routed, authenticated, allowed, its tenant known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/problem.h"
#include "api/query.h"
#include "core/access/access.h"
#include "core/egress/address.h"
#include "core/idempotency/key.h"
#include "engine/dispatcher.h"
#include "engine/endpoint_book.h"
#include "engine/intake.h"
#include "engine/key_ring.h"
#include "engine/tenants.h"
#include "port/entropy.h"
#include "port/serve.h"
#include "port/store.h"

namespace semel::api {

struct Services {
  store::Store& store;
  engine::Tenants& tenants;
  engine::KeyRing& keys;
  engine::EndpointBook& endpoints;
  engine::Dispatcher& dispatcher;
  engine::Intake& intake;
  const egress::EgressRules& egress;
  Entropy& entropy;
};

// The caller, copied from its key: the key may be deleted while the request waits.
struct Caller {
  std::string client;
  bool every_tenant;
  std::optional<std::vector<std::string>> event_types;
};

struct ApiCall {
  HttpRequest request;
  std::vector<std::string> path;  // the path's parameters, decoded, in their order
  Query query;
  TenantKey tenant;
  Caller caller;
  std::optional<idempotency::IdempotencyKey> idempotency_key;  // only on routes that honour it
};

using Handler = Co<Answer> (*)(Services&, ApiCall);

}  // namespace semel::api
