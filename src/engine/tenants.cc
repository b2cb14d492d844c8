// tenants.cc: reading the tenants of a store.
#include "engine/tenants.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"

namespace semel::engine {

namespace {

Result<KnownTenant> know(const store::Tenant& row, Secrets& secrets) {
  SEMEL_TRY(plain, secrets.unseal(row.sealed_fingerprint_key, "tenant/" + row.name + "/fingerprint"));
  KnownTenant tenant{.key = row.key, .name = row.name, .fingerprint_key = {}};
  if (plain.size() != tenant.fingerprint_key.size())
    return fail(Fault::corrupt, "the fingerprint key of a tenant has a wrong length");
  std::ranges::copy(as_bytes(plain), tenant.fingerprint_key.begin());
  return tenant;
}

}  // namespace

Co<Result<void>> Tenants::load(store::Store& store, Secrets& secrets) {
  auto rows = co_await store::read(store, [](store::StoreReader& reader) { return reader.tenants(); });
  if (!rows) co_return std::unexpected(rows.error());
  std::unordered_map<TenantKey, KnownTenant> by_key;
  std::unordered_map<std::string, TenantKey> by_name;
  for (const store::Tenant& row : *rows) {
    Result<KnownTenant> tenant = know(row, secrets);
    if (!tenant) co_return std::unexpected(tenant.error());
    by_name.emplace(row.name, row.key);
    by_key.emplace(row.key, *std::move(tenant));
  }
  by_key_ = std::move(by_key);
  by_name_ = std::move(by_name);
  co_return Result<void>{};
}

const KnownTenant* Tenants::find(std::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? nullptr : &by_key_.at(found->second);
}

const KnownTenant& Tenants::at(TenantKey key) const {
  const auto found = by_key_.find(key);
  SEMEL_CHECK(found != by_key_.end());
  return found->second;
}

}  // namespace semel::engine
