// tables.h: the rows of a store in memory, their numbers and indexes.
//
// Numbers are given as SQLite gives them: one more than the highest there is. What sql/sqlite/schema.sql states as
// unique keys are maps here; its other rules are checked by who writes (write_sets.h).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "core/intake/decide.h"
#include "core/routing/pattern.h"
#include "port/store.h"
#include "sim/store/memory_store.h"

namespace semel::sim {

// Rows that are never removed.
template <class Key, class Row>
class Numbered {
 public:
  Key add(Row row) {
    rows_.push_back(std::move(row));
    return last();
  }
  void take_back_last() { rows_.pop_back(); }

  Key last() const { return Key{static_cast<decltype(Key::value)>(rows_.size())}; }
  Row* find(Key key) { return key.value >= 1 && key <= last() ? &at(key) : nullptr; }
  Row& at(Key key) { return rows_.at(static_cast<std::size_t>(key.value) - 1); }

 private:
  std::deque<Row> rows_;
};

using BatchKey = Strong<struct BatchKeyTag>;

struct BatchRow {
  idempotency::Fingerprint content;
  // An item's answer that stands: its event, or a final refusal. Items refused for now have no row.
  std::map<std::size_t, std::variant<intake::KeyBinding, intake::Refuse>> items;  // by position
};

struct LineRow {
  std::string ordering_key;
  intake::NumberedBy numbered_by;
  Sequence last;
};

struct SubscriptionRow {
  store::Subscription row;
  EndpointKey endpoint;
};

struct TenantRow {
  store::Tenant row;
  Version routing_version{1};
  std::vector<std::string> allowed_event_types{"*"};
  std::optional<routing::RoutingTable> routing;  // as it was last built; gone with each change

  std::unordered_map<EndpointId, EndpointKey> endpoints;
  std::unordered_map<SubscriptionId, SubscriptionKey> subscriptions;
  std::map<std::string, LineKey, std::less<>> lines;  // by ordering key
  std::unordered_map<EventId, EventKey> events;
  using CallersKey = std::pair<std::string, idempotency::KeyHash>;
  std::map<CallersKey, intake::KeyBinding> event_keys;
  std::map<CallersKey, BatchKey> batch_keys;
};

// What one endpoint was given of a line.
struct LineOnEndpoint {
  Sequence last = 0;
  Sequence highest_delivered = 0;
  std::map<Sequence, DeliveryKey> holding;  // open or dead: they hold back what comes after them
};

struct EndpointRow {
  store::Endpoint row;
  endpoint::Ordering ordering;
  std::map<LineKey, LineOnEndpoint> lines;
};

struct EventRow {
  TenantKey tenant;
  idempotency::Fingerprint fingerprint;
  std::optional<LineKey> line;
  WallTime accepted_at;
  std::shared_ptr<const store::EventBody> body;
  std::vector<DeliveryKey> deliveries;
};

struct AttemptRow {
  std::uint32_t round;
  bool counts;
  WallTime started_at;
};
struct OutcomeKey {
  std::uint32_t attempt;
  bool late;
  friend auto operator<=>(const OutcomeKey&, const OutcomeKey&) = default;
};

struct DeliveryRow {
  store::Delivery row;
  std::map<std::uint32_t, AttemptRow> attempts;  // by number
  std::map<OutcomeKey, store::OutcomeRow> outcomes;
};

struct MemoryRows::Tables {
  std::optional<std::array<Fence, store::kShards>> fences;  // none: nobody has opened the store yet
  Numbered<TenantKey, TenantRow> tenants;
  Numbered<EndpointKey, EndpointRow> endpoints;
  Numbered<LineKey, LineRow> lines;
  Numbered<EventKey, EventRow> events;
  Numbered<DeliveryKey, DeliveryRow> deliveries;
  Numbered<BatchKey, BatchRow> batches;
  std::map<SubscriptionKey, SubscriptionRow> subscriptions;
  std::map<ApiKeyId, store::ApiKeyRow> api_keys;

  std::set<DeliveryKey> open;
  std::set<DeliveryKey> dead;

  EndpointRow* live_endpoint(EndpointKey key);
  EndpointRow* find_endpoint(TenantKey tenant, const EndpointId& id);

  DeliveryKey add(store::Delivery row);
  void take_back(DeliveryKey last);
  // Puts a changed row in place of the one that has its key.
  void change(const store::Delivery& row);

  SubscriptionKey add(SubscriptionRow row);
  void remove(SubscriptionKey key);

  const routing::RoutingTable& routing(TenantRow& tenant);
  void raise_routing_version(TenantKey tenant);

  // The lowest delivery of its line that it has to wait for, on an endpoint that sends per key.
  std::optional<DeliveryKey> blocked_by(const store::Delivery& row);

 private:
  void index(const store::Delivery& row);
};
using Tables = MemoryRows::Tables;

}  // namespace semel::sim
