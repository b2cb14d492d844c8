// key_ring.h: the API keys, in memory, kept in step with the store.
//
// Threads:    the loop's thread.
// On a crash: loaded again at start. A key answered as created is stored; one answered as deleted opens nothing.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "port/clock.h"
#include "port/entropy.h"
#include "port/store.h"

namespace semel::engine {

struct NewKey {
  access::Role role;
  std::optional<TenantKey> tenant;
  std::string client;
  std::optional<std::vector<std::string>> event_types;
};

struct MadeKey {
  store::ApiKeyRow row;
  std::string text;  // shown once
};

class KeyRing {
 public:
  KeyRing(store::Store& store, Clock& clock, Entropy& entropy) : store_(store), clock_(clock), entropy_(entropy) {}

  Co<Result<void>> load();
  // The operator's own key (SEMEL_ADMIN_KEY, or the one made with the store); not a row that can be deleted.
  void set_operator_key(access::ApiKey key);

  // The key that an Authorization header presents; nullptr when it opens nothing.
  const access::ApiKey* authenticate(std::string_view authorization) const;

  Co<Result<MadeKey>> create(NewKey key);
  Co<Result<void>> remove(const ApiKeyId& id);
  std::vector<store::ApiKeyRow> list() const;  // in the order of their ids

 private:
  store::Store& store_;
  Clock& clock_;
  Entropy& entropy_;
  std::unordered_map<ApiKeyId, store::ApiKeyRow> keys_;
  std::optional<access::ApiKey> operator_key_;
};

}  // namespace semel::engine
