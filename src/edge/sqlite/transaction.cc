// transaction.cc: reads that several write-sets of a group share.
#include "edge/sqlite/transaction.h"

#include <utility>

#include "base/planted.h"
#include "base/probe.h"
#include "edge/sqlite/pattern_list.h"

namespace semel::sqlite {

Transaction::Transaction(Connection& open_connection) : connection(open_connection), sql(open_connection) {}

bool Transaction::fence_stands(Fence fence, TenantKey tenant, EndpointKey endpoint) {
  if (!fences_) {
    fences_.emplace();
    auto rows = sql.read_fences.query();
    while (rows.next()) fences_->at(rows.get<std::size_t>(0)) = rows.get<Fence>(1);
  }
  const bool stands = (*fences_)[static_cast<std::size_t>(store::shard_of(tenant, endpoint))] == fence;
  probe::sometimes<"sqlite.older_fence">(!stands);
  return stands || planted(Planted::fence_forgotten);
}

const std::optional<Transaction::EndpointVersion>& Transaction::endpoint_version(EndpointKey endpoint) {
  const auto [found, is_new] = endpoints_.try_emplace(endpoint);
  if (is_new) {
    auto row = sql.find_endpoint_version.query(endpoint);
    if (row.next()) found->second = EndpointVersion{row.get<TenantKey>(0), row.get<Version>(1)};
  }
  return found->second;
}

bool Transaction::endpoint_stands(TenantKey tenant, EndpointKey endpoint, Version version) {
  const std::optional<EndpointVersion>& stored = endpoint_version(endpoint);
  probe::sometimes<"sqlite.endpoint_gone">(!stored);
  probe::sometimes<"sqlite.endpoint_moved_on">(stored && stored->version != version);
  return stored && stored->tenant == tenant && stored->version == version;
}

bool Transaction::endpoint_exists(TenantKey tenant, EndpointKey endpoint) {
  const std::optional<EndpointVersion>& stored = endpoint_version(endpoint);
  return stored && stored->tenant == tenant;
}

const Transaction::Tenant* Transaction::tenant(TenantKey key) {
  const auto [found, is_new] = tenants_.try_emplace(key);
  if (is_new) {
    auto row = sql.find_tenant.query(key);
    if (row.next()) found->second = Tenant{row.get<std::string>(0), row.get<Version>(1)};
  }
  return found->second ? &*found->second : nullptr;
}

const Transaction::Routing& Transaction::routing(TenantKey key) {
  const Version version = tenant(key)->routing_version;
  const auto kept = routing_.find(key);
  if (kept != routing_.end() && kept->second.table.version == version) return kept->second;
  return routing_.insert_or_assign(key, read_routing(key, version)).first->second;
}

Transaction::Routing Transaction::read_routing(TenantKey key, Version version) {
  Routing routing;
  routing.table.version = version;
  auto allowed = sql.read_allowed_event_types.query(key);
  if (allowed.next()) routing.table.allowed_event_types = read_patterns_json(allowed.get<std::string_view>(0));
  auto rows = sql.read_routing.query(key);
  while (rows.next()) {
    const auto endpoint = rows.get<EndpointKey>(0);
    routing.table.subscriptions.push_back({endpoint, read_patterns_json(rows.get<std::string_view>(1))});
    routing.ids.try_emplace(endpoint, EndpointId{rows.get<std::string>(2)});
  }
  return routing;
}

void Transaction::raise_routing_version(TenantKey tenant) {
  sql.raise_routing_version.run(tenant);
  tenants_.erase(tenant);
}

void Transaction::forget_reads() {
  fences_.reset();
  endpoints_.clear();
  tenants_.clear();
}

void Transaction::forget_everything() {
  forget_reads();
  routing_.clear();
}

}  // namespace semel::sqlite
