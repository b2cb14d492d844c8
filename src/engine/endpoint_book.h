// endpoint_book.h: endpoints and subscriptions: made, shown and deleted, and ready to sign in memory.
//
// Invariant:  once a create, delete or subscribe has answered, no attempt starts that did not know it: attempts carry
//             the endpoint's version and conflict in the store when it has moved on.
// Threads:    the loop's thread.
// On a crash: loaded again at start.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/endpoint/config.h"
#include "core/signature/signature.h"
#include "port/clock.h"
#include "port/entropy.h"
#include "port/secrets.h"
#include "port/store.h"

namespace semel::engine {

// An endpoint as an attempt needs it.
struct LiveEndpoint {
  EndpointKey key;
  TenantKey tenant;
  EndpointId id;
  Version version;
  endpoint::Config config;
  signature::Signer signer;
  std::optional<admission::Wait> wait;  // as loaded from the store
};

struct MadeEndpoint {
  store::Endpoint row;
  std::string secret;      // whsec_.. or whsk_.., shown once
  std::string public_key;  // whpk_.. of an Ed25519 key, else empty
};

class EndpointBook {
 public:
  EndpointBook(store::Store& store, Secrets& secrets, Clock& clock, Entropy& entropy)
      : store_(store), secrets_(secrets), clock_(clock), entropy_(entropy) {}

  Co<Result<void>> load();
  // After a commit in doubt: endpoints that it made all the same.
  Co<Result<void>> find_missing();
  std::vector<std::shared_ptr<LiveEndpoint>> all() const;
  std::shared_ptr<LiveEndpoint> find(EndpointKey key) const;  // nullptr: deleted or unknown
  // Reads one endpoint from the store again, after a conflict. nullptr: deleted.
  Co<Result<std::shared_ptr<LiveEndpoint>>> reload(EndpointKey key);

  Co<Result<MadeEndpoint>> create(TenantKey tenant, endpoint::NewEndpoint endpoint);
  // The key of the endpoint that is gone now. Fault::not_found.
  Co<Result<EndpointKey>> remove(TenantKey tenant, const EndpointId& id);
  Co<Result<std::vector<store::Endpoint>>> list(TenantKey tenant);
  Co<Result<store::Endpoint>> show(TenantKey tenant, const EndpointId& id);

  Co<Result<store::Subscription>> subscribe(TenantKey tenant, const EndpointId& endpoint,
                                            std::vector<std::string> event_types);
  Co<Result<void>> unsubscribe(TenantKey tenant, const SubscriptionId& id);
  Co<Result<std::vector<store::Subscription>>> subscriptions(TenantKey tenant);

 private:
  Result<std::shared_ptr<LiveEndpoint>> enliven(const store::Endpoint& row);

  store::Store& store_;
  Secrets& secrets_;
  Clock& clock_;
  Entropy& entropy_;
  std::unordered_map<EndpointKey, std::shared_ptr<LiveEndpoint>> live_;
};

}  // namespace semel::engine
