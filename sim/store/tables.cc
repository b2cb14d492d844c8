// tables.cc: rows and their indexes change together.
#include "sim/store/tables.h"

#include "core/delivery/state.h"

namespace semel::sim {
namespace {

void set_member(std::set<DeliveryKey>& keys, DeliveryKey key, bool member) {
  if (member)
    keys.insert(key);
  else
    keys.erase(key);
}

}  // namespace

MemoryRows::MemoryRows() : tables_(std::make_unique<Tables>()) {}
MemoryRows::~MemoryRows() = default;

EndpointRow* Tables::live_endpoint(EndpointKey key) {
  EndpointRow* endpoint = endpoints.find(key);
  return endpoint && !endpoint->row.deleted_at ? endpoint : nullptr;
}

EndpointRow* Tables::find_endpoint(TenantKey tenant, const EndpointId& id) {
  const TenantRow* row = tenants.find(tenant);
  if (!row) return nullptr;
  const auto found = row->endpoints.find(id);
  return found == row->endpoints.end() ? nullptr : &endpoints.at(found->second);
}

DeliveryKey Tables::add(store::Delivery row) {
  row.key = deliveries.add({});
  index(row);
  events.at(row.event).deliveries.push_back(row.key);
  deliveries.at(row.key).row = std::move(row);
  return deliveries.last();
}

void Tables::take_back(DeliveryKey last) {
  const store::Delivery& row = deliveries.at(last).row;
  open.erase(last);
  if (row.line) endpoints.at(row.endpoint).lines.at(*row.line).holding.erase(*row.sequence);
  events.at(row.event).deliveries.pop_back();
  deliveries.take_back_last();
}

void Tables::change(const store::Delivery& row) {
  index(row);
  deliveries.at(row.key).row = row;
}

void Tables::index(const store::Delivery& row) {
  const delivery::StateName state = delivery::name_of(row.state);
  const bool is_open = delivery::is_open(state);
  const bool is_dead = state == delivery::StateName::dead;
  set_member(open, row.key, is_open);
  set_member(dead, row.key, is_dead);
  if (!row.line) return;
  auto& holding = endpoints.at(row.endpoint).lines[*row.line].holding;
  if (is_open || is_dead)
    holding.emplace(*row.sequence, row.key);
  else
    holding.erase(*row.sequence);
}

SubscriptionKey Tables::add(SubscriptionRow row) {
  const SubscriptionKey key{subscriptions.empty() ? 1 : subscriptions.rbegin()->first.value + 1};
  row.row.key = key;
  tenants.at(row.row.tenant).subscriptions.emplace(row.row.id, key);
  subscriptions.emplace(key, std::move(row));
  return key;
}

void Tables::remove(SubscriptionKey key) {
  const auto found = subscriptions.find(key);
  tenants.at(found->second.row.tenant).subscriptions.erase(found->second.row.id);
  subscriptions.erase(found);
}

const routing::RoutingTable& Tables::routing(TenantRow& tenant) {
  if (tenant.routing) return *tenant.routing;
  tenant.routing = {
      .version = tenant.routing_version, .allowed_event_types = tenant.allowed_event_types, .subscriptions = {}};
  for (const auto& [key, subscription] : subscriptions)
    if (subscription.row.tenant == tenant.row.key && live_endpoint(subscription.endpoint))
      tenant.routing->subscriptions.push_back({subscription.endpoint, subscription.row.event_types});
  return *tenant.routing;
}

void Tables::raise_routing_version(TenantKey key) {
  TenantRow& tenant = tenants.at(key);
  ++tenant.routing_version.value;
  tenant.routing.reset();
}

std::optional<DeliveryKey> Tables::blocked_by(const store::Delivery& row) {
  const delivery::StateName state = delivery::name_of(row.state);
  const bool waits = delivery::is_open(state) && state != delivery::StateName::in_flight;
  if (!waits || !row.line) return std::nullopt;
  const EndpointRow& endpoint = endpoints.at(row.endpoint);
  if (endpoint.ordering != endpoint::Ordering::per_key) return std::nullopt;
  const auto& [sequence, lowest] = *endpoint.lines.at(*row.line).holding.begin();
  return sequence < *row.sequence ? std::optional(lowest) : std::nullopt;
}

}  // namespace semel::sim
