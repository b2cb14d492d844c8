// tenants.h: the tenants of this store and their fingerprint keys, in memory.
//
// Threads:    the loop's thread.
// On a crash: loaded again at start; nothing here is the truth.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/idempotency/fingerprint.h"
#include "port/secrets.h"
#include "port/store.h"

namespace semel::engine {

struct KnownTenant {
  TenantKey key;
  std::string name;
  idempotency::FingerprintKey fingerprint_key;
};

class Tenants {
 public:
  // Reads all tenants and unseals their fingerprint keys. Fault::corrupt: wrong master key.
  Co<Result<void>> load(store::Store& store, Secrets& secrets);
  const KnownTenant* find(std::string_view name) const;
  const KnownTenant& at(TenantKey key) const;

 private:
  std::unordered_map<TenantKey, KnownTenant> by_key_;
  std::unordered_map<std::string, TenantKey> by_name_;
};

}  // namespace semel::engine
