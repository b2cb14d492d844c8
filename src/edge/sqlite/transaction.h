// transaction.h: what the write-sets of one group share: the writer's statements, and what the open transaction has
// read of fences, versions and routing.
//
// Reads are kept for the length of one transaction and forgotten at its end and by every write-set that changes what
// they say, so a fence or version is compared with what the store holds. Routing tables live longer: they carry the
// routing version they were read at.
// Errors stay in the connection (failure()); a write-set may then return anything, since its answer is not used.
// Threads: the writer lane.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "core/routing/pattern.h"
#include "edge/sqlite/connection.h"
#include "edge/sqlite/statement.h"
#include "edge/sqlite/writer_statements.h"
#include "port/store.h"

namespace semel::sqlite {

class Transaction {
 public:
  explicit Transaction(Connection& open_connection);

  Connection& connection;
  WriterStatements sql;

  bool fence_stands(Fence fence, TenantKey tenant, EndpointKey endpoint);
  // The endpoint is live, belongs to the tenant and stands at this version.
  bool endpoint_stands(TenantKey tenant, EndpointKey endpoint, Version version);
  // The endpoint is live and belongs to the tenant, at whatever version.
  bool endpoint_exists(TenantKey tenant, EndpointKey endpoint);

  struct Tenant {
    std::string name;
    Version routing_version;
  };
  const Tenant* tenant(TenantKey key);  // nullptr: no such tenant; valid until the next change of configuration

  struct Routing {
    routing::RoutingTable table;
    std::unordered_map<EndpointKey, EndpointId> ids;
  };
  const Routing& routing(TenantKey tenant);  // of an existing tenant

  // Called with every change of endpoints and subscriptions.
  void forget_endpoint(EndpointKey endpoint) { endpoints_.erase(endpoint); }
  void raise_routing_version(TenantKey tenant);

  // At its end. What was read after a change that was rolled back may name a version that comes again with other
  // content.
  void forget_reads();
  void forget_everything();

 private:
  struct EndpointVersion {
    TenantKey tenant;
    Version version;
  };
  const std::optional<EndpointVersion>& endpoint_version(EndpointKey endpoint);
  Routing read_routing(TenantKey tenant, Version version);

  std::optional<std::array<Fence, store::kShards>> fences_;
  std::unordered_map<EndpointKey, std::optional<EndpointVersion>> endpoints_;
  std::unordered_map<TenantKey, std::optional<Tenant>> tenants_;
  std::unordered_map<TenantKey, Routing> routing_;
};

}  // namespace semel::sqlite
