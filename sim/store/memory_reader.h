// memory_reader.h: the reading half of the store in memory. A read runs whole in one turn, so that it is a snapshot.
#pragma once

#include <optional>
#include <vector>

#include "port/store.h"
#include "sim/store/tables.h"

namespace semel::sim {

class MemoryReader final : public store::StoreReader {
 public:
  explicit MemoryReader(Tables& tables) : tables_(tables) {}

  Result<std::vector<store::Tenant>> tenants() override;
  Result<std::vector<store::Endpoint>> endpoints(std::optional<TenantKey> tenant) override;
  Result<std::optional<store::Endpoint>> endpoint(TenantKey tenant, const EndpointId& id) override;
  Result<std::optional<store::Endpoint>> endpoint(EndpointKey key) override;
  Result<std::vector<store::Subscription>> subscriptions(TenantKey tenant) override;
  Result<std::vector<store::ApiKeyRow>> api_keys() override;
  Result<std::vector<store::Delivery>> open_deliveries(DeliveryKey after, std::size_t limit) override;
  Result<std::optional<store::Delivery>> delivery(DeliveryKey key) override;
  Result<Sequence> highest_delivered(TenantKey tenant, EndpointKey endpoint, LineKey line) override;
  Result<std::vector<store::EventBody>> event_bodies(const std::vector<EventKey>& keys) override;
  Result<std::optional<store::EventView>> event(TenantKey tenant, const EventId& id) override;
  Result<std::vector<store::EventView>> events(const store::EventFilter& filter) override;
  Result<std::optional<store::DeliveryView>> delivery(TenantKey tenant, const DeliveryId& id) override;
  Result<std::vector<store::DeliveryView>> deliveries(const store::DeliveryFilter& filter) override;
  Result<std::vector<store::DeliveryView>> deliveries_of(TenantKey tenant, const EventId& id) override;
  Result<std::vector<store::AttemptView>> attempts(DeliveryKey key) override;

 private:
  EventRow* find_event(TenantKey tenant, const EventId& id);
  store::DeliveryView show(DeliveryKey key);

  Tables& tables_;
};

}  // namespace semel::sim
