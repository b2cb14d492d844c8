// reader.h: the reading half of the store, on a connection of its own.
//
// A read happens between begin and end, in one snapshot. After a failure (or `refuse`) every read answers the error.
// Threads: the reader lane.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "edge/sqlite/connection.h"
#include "port/store.h"

namespace semel::sqlite {

class Reader final : public store::StoreReader {
 public:
  // `connection` must outlive the reader. Failures to prepare are in its failure().
  explicit Reader(Connection& connection);
  ~Reader() override;

  // Runs `read` in one snapshot; with `refusal`, every read inside answers that error.
  void run(std::move_only_function<void(store::StoreReader&)>& read, const std::optional<Error>& refusal);

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
  struct Statements;
  // The value, unless reads are refused or one has failed.
  template <class T>
  Result<T> answer(T value);
  void complete(store::Endpoint& endpoint);
  std::optional<store::EventView> show_event(EventKey key);
  std::optional<store::DeliveryView> show_delivery(DeliveryKey key);
  std::vector<store::DeliveryView> show_deliveries(const std::vector<DeliveryKey>& keys);
  std::optional<EndpointKey> endpoint_key(TenantKey tenant, const EndpointId& id);

  Connection& connection_;
  std::unique_ptr<Statements> sql_;
  std::optional<Error> refusal_;
};

}  // namespace semel::sqlite
