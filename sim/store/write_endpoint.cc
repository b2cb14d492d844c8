// write_endpoint.cc: endpoints, subscriptions and API keys are made and removed.
//
// Each raises the version of every endpoint it touches and the tenant's routing version where routing changes, so that
// nothing starts afterwards that did not know it.
#include <utility>

#include "base/check.h"
#include "base/planted.h"
#include "core/delivery/step.h"
#include "core/endpoint/config.h"
#include "sim/store/write_sets.h"

namespace semel::sim {
namespace {

EndpointRow* find_live(Tables& tables, TenantKey tenant, const EndpointId& id) {
  EndpointRow* endpoint = tables.find_endpoint(tenant, id);
  return endpoint && !endpoint->row.deleted_at ? endpoint : nullptr;
}

store::Subscription subscribe(Tables& tables, TenantKey tenant, const EndpointRow& endpoint, const SubscriptionId& id,
                              const std::vector<std::string>& event_types, WallTime now) {
  tables.raise_routing_version(tenant);
  store::Subscription row{.key = {},
                          .tenant = tenant,
                          .id = id,
                          .endpoint = endpoint.row.id,
                          .event_types = event_types,
                          .created_at = now};
  row.key = tables.add(SubscriptionRow{row, endpoint.row.key});
  return row;
}

void cancel_open_deliveries(Tables& tables, EndpointKey endpoint, WallTime now) {
  for (const DeliveryKey key : std::set<DeliveryKey>(tables.open)) {
    store::Delivery row = tables.deliveries.at(key).row;
    if (row.endpoint != endpoint) continue;
    delivery::Step step = delivery::cancel(row.state, row.record, "endpoint_deleted", now);
    SEMEL_CHECK(step.has_value());
    ++row.version.value;
    row.state = std::move(step->next);
    row.record = step->record;
    tables.change(row);
  }
}

}  // namespace

store::CommitAnswer write(Tables& tables, const store::CreateEndpoint& create) {
  const Result<endpoint::Config> config = endpoint::read_config_json(create.config_json);
  if (!config) return store::Refused{config.error()};
  TenantRow* tenant = tables.tenants.find(create.tenant);
  if (!tenant) return refused(Fault::not_found, "there is no such tenant");
  if (tenant->endpoints.contains(create.id)) return refused(Fault::conflict, "there is an endpoint of this id");
  if (create.subscription && tenant->subscriptions.contains(create.subscription->id))
    return refused(Fault::conflict, "there is a subscription of this id");

  const EndpointKey key = tables.endpoints.add({.row = {.key = {},
                                                        .tenant = create.tenant,
                                                        .id = create.id,
                                                        .version = Version{1},
                                                        .config_json = create.config_json,
                                                        .secrets = {{1, create.sealed_secret, std::nullopt}},
                                                        .wait = {},
                                                        .created_at = create.now,
                                                        .deleted_at = {}},
                                                .ordering = config->ordering,
                                                .lines = {}});
  EndpointRow& made = tables.endpoints.at(key);
  made.row.key = key;
  tenant->endpoints.emplace(create.id, key);
  if (create.subscription)
    subscribe(tables, create.tenant, made, create.subscription->id, create.subscription->event_types, create.now);
  return store::Committed{made.row};
}

store::CommitAnswer write(Tables& tables, const store::DeleteEndpoint& remove) {
  EndpointRow* endpoint = find_live(tables, remove.tenant, remove.id);
  if (!endpoint) return refused(Fault::not_found, "there is no such endpoint");
  if (!planted(Planted::delete_endpoint_cancels_nothing)) cancel_open_deliveries(tables, endpoint->row.key, remove.now);
  for (auto next = tables.subscriptions.begin(); next != tables.subscriptions.end();) {
    const auto at = next++;
    if (at->second.endpoint == endpoint->row.key) tables.remove(at->first);
  }
  endpoint->row.secrets.clear();
  endpoint->row.wait.reset();
  endpoint->row.deleted_at = remove.now;
  ++endpoint->row.version.value;
  tables.raise_routing_version(remove.tenant);
  return store::Committed{};
}

store::CommitAnswer write(Tables& tables, const store::CreateSubscription& create) {
  EndpointRow* endpoint = find_live(tables, create.tenant, create.endpoint);
  if (!endpoint) return refused(Fault::not_found, "there is no such endpoint");
  if (tables.tenants.at(create.tenant).subscriptions.contains(create.id))
    return refused(Fault::conflict, "there is a subscription of this id");
  ++endpoint->row.version.value;
  return store::Committed{subscribe(tables, create.tenant, *endpoint, create.id, create.event_types, create.now)};
}

store::CommitAnswer write(Tables& tables, const store::DeleteSubscription& remove) {
  const TenantRow* tenant = tables.tenants.find(remove.tenant);
  const auto found = tenant ? tenant->subscriptions.find(remove.id) : decltype(tenant->subscriptions.end()){};
  if (!tenant || found == tenant->subscriptions.end())
    return refused(Fault::not_found, "there is no such subscription");
  const SubscriptionKey key = found->second;
  ++tables.endpoints.at(tables.subscriptions.at(key).endpoint).row.version.value;
  tables.remove(key);
  tables.raise_routing_version(remove.tenant);
  return store::Committed{};
}

store::CommitAnswer write(Tables& tables, const store::CreateApiKey& create) {
  if (create.key.tenant && !tables.tenants.find(*create.key.tenant))
    return refused(Fault::not_found, "there is no such tenant");
  if (!tables.api_keys.try_emplace(create.key.id, store::ApiKeyRow{create.key, create.now}).second)
    return refused(Fault::conflict, "there is a key of this id");
  return store::Committed{};
}

store::CommitAnswer write(Tables& tables, const store::DeleteApiKey& remove) {
  if (tables.api_keys.erase(remove.id) == 0) return refused(Fault::not_found, "there is no such key");
  return store::Committed{};
}

}  // namespace semel::sim
