// memory_view.h: an IntakeView over rows in memory that also stores what was decided, for tests.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/match.h"
#include "core/intake/decide.h"

namespace semel::intake {

class MemoryView final : public IntakeView {
 public:
  // A delivery as it was stored.
  struct Delivery {
    EventKey event;
    EndpointKey endpoint;
    std::optional<Sequence> sequence;
    std::optional<Sequence> after;
  };

  routing::RoutingTable table{.version = {1}, .allowed_event_types = {"*"}, .subscriptions = {}};
  std::vector<StoredEvent> events;     // EventKey is the position, from 1
  std::vector<std::string> envelopes;  // of `events`
  std::vector<Delivery> deliveries;

  std::optional<KeyBinding> find_key(const idempotency::KeyHash& hash) override { return found(keys_, hash); }

  std::optional<StoredEvent> find_event(const EventId& id) override {
    for (const StoredEvent& stored : events)
      if (stored.id == id) return stored;
    return std::nullopt;
  }

  StoredEvent event(EventKey key) override { return events.at(static_cast<std::size_t>(key.value) - 1); }

  std::optional<Line> find_line(std::string_view ordering_key) override {
    return found(lines_, std::string(ordering_key));
  }

  Sequence tail(EndpointKey endpoint, LineKey line) override {
    return found(tails_, std::pair(endpoint, line)).value_or(0);
  }

  const routing::RoutingTable& routing() override { return table; }

  EndpointId endpoint_id(EndpointKey endpoint) override { return {"ep_" + std::to_string(endpoint.value)}; }

  // Decides and stores, as one transaction.
  Decision submit(const Item& item, std::string_view tenant_name = "default") {
    Decision decision = decide(item, tenant_name, *this);
    match(
        decision, [&](const Accept& accept) { store(item, accept.event); },
        [&](const Replay& replay) {
          if (replay.bind_key) bind(*item.key, replay.event.key, replay.duplicate);
        },
        [](const Refuse&) {});
    return decision;
  }

 private:
  template <class Map, class Key>
  static std::optional<typename Map::mapped_type> found(const Map& map, const Key& key) {
    const auto at = map.find(key);
    return at == map.end() ? std::nullopt : std::optional(at->second);
  }

  void bind(const idempotency::KeyHash& hash, EventKey event, bool duplicate) {
    const bool is_new = keys_.emplace(hash, KeyBinding{event, duplicate}).second;
    SEMEL_CHECK(is_new);
  }

  void store(const Item& item, const NewEvent& fresh) {
    SEMEL_CHECK(!find_event(fresh.id));
    const EventKey key{static_cast<std::int64_t>(events.size()) + 1};
    const std::optional<LineKey> line = advance_line(item, fresh);
    StoredEvent stored{.key = key,
                       .id = fresh.id,
                       .fingerprint = item.fingerprint,
                       .sequence = fresh.sequence,
                       .accepted_at = item.accepted_at,
                       .endpoints = {}};
    for (const NewDelivery& made : fresh.deliveries) {
      stored.endpoints.push_back(endpoint_id(made.endpoint));
      deliveries.push_back({key, made.endpoint, fresh.sequence, made.after});
      if (line) tails_[{made.endpoint, *line}] = *fresh.sequence;
    }
    events.push_back(std::move(stored));
    envelopes.push_back(fresh.envelope.bytes);
    if (item.key) bind(*item.key, key, false);
  }

  std::optional<LineKey> advance_line(const Item& item, const NewEvent& fresh) {
    if (!item.submission.ordering_key) return std::nullopt;
    const auto next_key = LineKey{static_cast<std::int64_t>(lines_.size()) + 1};
    const auto [at, is_new] = lines_.try_emplace(*item.submission.ordering_key);
    SEMEL_CHECK(is_new == fresh.first_of_line.has_value());
    if (is_new) at->second = {next_key, *fresh.first_of_line, 0};
    at->second.last = *fresh.sequence;
    return at->second.key;
  }

  std::map<idempotency::KeyHash, KeyBinding> keys_;
  std::map<std::string, Line> lines_;
  std::map<std::pair<EndpointKey, LineKey>, Sequence> tails_;
};

}  // namespace semel::intake
