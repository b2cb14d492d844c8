// memory_reader.cc: rows into the values of port/store.h.
#include "sim/store/memory_reader.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace semel::sim {
namespace {

constexpr std::size_t kPageMax = 500;

store::EventView show_event(const EventRow& row) {
  return {.key = row.body->key,
          .id = row.body->id,
          .type = row.body->type,
          .envelope = row.body->envelope,
          .ordering_key = row.body->ordering_key,
          .sequence = row.body->sequence,
          .correlation_id = row.body->correlation_id,
          .accepted_at = row.accepted_at};
}

bool asked_for(const store::EventFilter& filter, const EventRow& row) {
  return row.tenant == filter.tenant && (!filter.type || row.body->type == *filter.type) &&
         (!filter.correlation_id || row.body->correlation_id == filter.correlation_id) &&
         (!filter.since || row.accepted_at >= *filter.since);
}

store::OutcomeView show_outcome(OutcomeKey key, const store::OutcomeRow& row) {
  return {.late = key.late,
          .at = row.at,
          .result = row.result,
          .failure = row.failure,
          .http_status = row.http_status,
          .reason = row.reason};
}

}  // namespace

Result<std::vector<store::Tenant>> MemoryReader::tenants() {
  std::vector<store::Tenant> tenants;
  for (TenantKey key{1}; key <= tables_.tenants.last(); ++key.value) tenants.push_back(tables_.tenants.at(key).row);
  return tenants;
}

Result<std::vector<store::Endpoint>> MemoryReader::endpoints(std::optional<TenantKey> tenant) {
  std::vector<store::Endpoint> endpoints;
  for (EndpointKey key{1}; key <= tables_.endpoints.last(); ++key.value) {
    const EndpointRow* live = tables_.live_endpoint(key);
    if (live && (!tenant || live->row.tenant == *tenant)) endpoints.push_back(live->row);
  }
  return endpoints;
}

Result<std::optional<store::Endpoint>> MemoryReader::endpoint(TenantKey tenant, const EndpointId& id) {
  const EndpointRow* found = tables_.find_endpoint(tenant, id);
  return found ? std::optional(found->row) : std::nullopt;
}

Result<std::optional<store::Endpoint>> MemoryReader::endpoint(EndpointKey key) {
  const EndpointRow* found = tables_.endpoints.find(key);
  return found ? std::optional(found->row) : std::nullopt;
}

Result<std::vector<store::Subscription>> MemoryReader::subscriptions(TenantKey tenant) {
  std::vector<store::Subscription> subscriptions;
  for (const auto& [key, subscription] : tables_.subscriptions)
    if (subscription.row.tenant == tenant) subscriptions.push_back(subscription.row);
  return subscriptions;
}

Result<std::vector<store::ApiKeyRow>> MemoryReader::api_keys() {
  std::vector<store::ApiKeyRow> keys;
  for (const auto& [id, row] : tables_.api_keys) keys.push_back(row);
  return keys;
}

Result<std::vector<store::Delivery>> MemoryReader::open_deliveries(DeliveryKey after, std::size_t limit) {
  std::vector<DeliveryKey> both;
  std::merge(tables_.open.upper_bound(after), tables_.open.end(), tables_.dead.upper_bound(after), tables_.dead.end(),
             std::back_inserter(both));
  std::vector<store::Delivery> found;
  for (const DeliveryKey key : both) {
    if (found.size() == limit) break;
    const store::Delivery& row = tables_.deliveries.at(key).row;
    const bool holds_back = row.line && tables_.endpoints.at(row.endpoint).ordering == endpoint::Ordering::per_key;
    if (delivery::is_open(delivery::name_of(row.state)) || holds_back) found.push_back(row);
  }
  return found;
}

Result<std::optional<store::Delivery>> MemoryReader::delivery(DeliveryKey key) {
  const DeliveryRow* found = tables_.deliveries.find(key);
  return found ? std::optional(found->row) : std::nullopt;
}

Result<Sequence> MemoryReader::highest_delivered(TenantKey tenant, EndpointKey endpoint, LineKey line) {
  const EndpointRow* row = tables_.endpoints.find(endpoint);
  if (!row || row->row.tenant != tenant) return 0;
  const auto found = row->lines.find(line);
  return found == row->lines.end() ? 0 : found->second.highest_delivered;
}

Result<std::vector<store::EventBody>> MemoryReader::event_bodies(const std::vector<EventKey>& keys) {
  std::vector<store::EventBody> bodies;
  for (const EventKey key : keys)
    if (const EventRow* found = tables_.events.find(key)) bodies.push_back(*found->body);
  return bodies;
}

EventRow* MemoryReader::find_event(TenantKey tenant, const EventId& id) {
  const TenantRow* row = tables_.tenants.find(tenant);
  if (!row) return nullptr;
  const auto found = row->events.find(id);
  return found == row->events.end() ? nullptr : &tables_.events.at(found->second);
}

Result<std::optional<store::EventView>> MemoryReader::event(TenantKey tenant, const EventId& id) {
  const EventRow* found = find_event(tenant, id);
  return found ? std::optional(show_event(*found)) : std::nullopt;
}

Result<std::vector<store::EventView>> MemoryReader::events(const store::EventFilter& filter) {
  const std::size_t limit = std::min(filter.limit, kPageMax);
  std::vector<store::EventView> events;
  EventKey key = filter.after.value_or(EventKey{0});
  while (events.size() < limit && ++key.value <= tables_.events.last().value)
    if (const EventRow& row = tables_.events.at(key); asked_for(filter, row)) events.push_back(show_event(row));
  return events;
}

store::DeliveryView MemoryReader::show(DeliveryKey key) {
  const store::Delivery& row = tables_.deliveries.at(key).row;
  const store::EventBody& event = *tables_.events.at(row.event).body;
  const auto id_of = [this](DeliveryKey other) {
    return tables_.events.at(tables_.deliveries.at(other).row.event).body->id;
  };
  return {.key = key,
          .id = {event.id, tables_.endpoints.at(row.endpoint).row.id},
          .endpoint = row.endpoint,
          .event_type = event.type,
          .ordering_key = event.ordering_key,
          .sequence = row.sequence,
          .after = row.after,
          .version = row.version,
          .state = row.state,
          .record = row.record,
          .blocked_by = tables_.blocked_by(row).transform(id_of)};
}

Result<std::optional<store::DeliveryView>> MemoryReader::delivery(TenantKey tenant, const DeliveryId& id) {
  const EventRow* event = find_event(tenant, id.event);
  const EndpointRow* endpoint = tables_.find_endpoint(tenant, id.endpoint);
  if (!event || !endpoint) return std::nullopt;
  for (const DeliveryKey key : event->deliveries)
    if (tables_.deliveries.at(key).row.endpoint == endpoint->row.key) return show(key);
  return std::nullopt;
}

Result<std::vector<store::DeliveryView>> MemoryReader::deliveries(const store::DeliveryFilter& filter) {
  std::vector<store::DeliveryView> views;
  const EndpointRow* endpoint = filter.endpoint ? tables_.find_endpoint(filter.tenant, *filter.endpoint) : nullptr;
  if (filter.endpoint && !endpoint) return views;
  const auto asked_for = [&](const store::Delivery& row) {
    return row.tenant == filter.tenant && (!endpoint || row.endpoint == endpoint->row.key) &&
           (!filter.state || delivery::name_of(row.state) == *filter.state) &&
           (!filter.blocked_only || tables_.blocked_by(row));
  };
  const std::size_t limit = std::min(filter.limit, kPageMax);
  DeliveryKey key = filter.after.value_or(DeliveryKey{0});
  while (views.size() < limit && ++key.value <= tables_.deliveries.last().value)
    if (asked_for(tables_.deliveries.at(key).row)) views.push_back(show(key));
  return views;
}

Result<std::vector<store::DeliveryView>> MemoryReader::deliveries_of(TenantKey tenant, const EventId& id) {
  std::vector<store::DeliveryView> views;
  if (const EventRow* event = find_event(tenant, id))
    for (const DeliveryKey key : event->deliveries) views.push_back(show(key));
  return views;
}

Result<std::vector<store::AttemptView>> MemoryReader::attempts(DeliveryKey key) {
  std::vector<store::AttemptView> attempts;
  const DeliveryRow* delivery = tables_.deliveries.find(key);
  if (!delivery) return attempts;
  for (const auto& [number, row] : delivery->attempts) {
    attempts.push_back(
        {.number = number, .round = row.round, .counts = row.counts, .started_at = row.started_at, .outcomes = {}});
    for (const bool late : {false, true})
      if (const auto found = delivery->outcomes.find({number, late}); found != delivery->outcomes.end())
        attempts.back().outcomes.push_back(show_outcome(found->first, found->second));
  }
  return attempts;
}

}  // namespace semel::sim
