// write_endpoint.cc: endpoints and subscriptions are made and removed.
//
// Each raises the version of every endpoint it touches and the tenant's routing version where routing changes, so that
// nothing starts afterwards that did not know it.
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/planted.h"
#include "base/probe.h"
#include "core/delivery/step.h"
#include "core/endpoint/config.h"
#include "edge/sqlite/delivery_rows.h"
#include "edge/sqlite/pattern_list.h"
#include "edge/sqlite/write_sets.h"

namespace semel::sqlite {
namespace {

store::Refused refused(Fault fault, std::string note) { return {{fault, std::move(note)}}; }

// nullopt: absent, or deleted before.
std::optional<EndpointKey> find_live(Transaction& transaction, TenantKey tenant, const EndpointId& id) {
  auto row = transaction.sql.find_endpoint.query(tenant, id.text);
  if (!row.next() || row.get<std::optional<WallTime>>(6)) return std::nullopt;
  return row.get<EndpointKey>(0);
}

bool subscription_exists(Transaction& transaction, TenantKey tenant, const SubscriptionId& id) {
  return transaction.sql.find_subscription.query(tenant, id.text).next();
}

SubscriptionKey subscribe(Transaction& transaction, TenantKey tenant, EndpointKey endpoint, const SubscriptionId& id,
                          const std::vector<std::string>& event_types, WallTime now) {
  transaction.raise_routing_version(tenant);
  return SubscriptionKey{
      transaction.sql.insert_subscription.insert(tenant, id.text, endpoint, patterns_json(event_types), now)};
}

std::vector<DeliveryKey> open_deliveries(Transaction& transaction, EndpointKey endpoint) {
  std::vector<DeliveryKey> keys;
  auto rows = transaction.sql.list_open_deliveries_of_endpoint.query(endpoint);
  while (rows.next()) keys.push_back(rows.get<DeliveryKey>(0));
  return keys;
}

void cancel(Transaction& transaction, DeliveryKey key, WallTime now) {
  std::optional<store::Delivery> open;
  {
    auto row = transaction.sql.read_delivery.query(key);
    if (row.next()) open = read_delivery(row);
  }
  if (!open) return;
  const delivery::Step step = delivery::cancel(open->state, open->record, "endpoint_deleted", now);
  SEMEL_CHECK(step.has_value());
  probe::reached<"sqlite.deletion_cancels">();
  const DeliveryAt at{key, open->tenant, open->endpoint, open->version};
  move_delivery(transaction.sql.move_delivery, at, step->next, step->record);
}

}  // namespace

store::CommitAnswer write(Transaction& transaction, const store::CreateEndpoint& create) {
  const Result<endpoint::Config> config = endpoint::read_config_json(create.config_json);
  if (!config) return store::Refused{config.error()};
  if (!transaction.tenant(create.tenant)) return refused(Fault::not_found, "there is no such tenant");
  if (transaction.sql.find_endpoint.query(create.tenant, create.id.text).next())
    return refused(Fault::conflict, "there is an endpoint of this id");
  if (create.subscription && subscription_exists(transaction, create.tenant, create.subscription->id))
    return refused(Fault::conflict, "there is a subscription of this id");

  const EndpointKey key{transaction.sql.insert_endpoint.insert(create.tenant, create.id.text, config->ordering,
                                                               create.config_json, create.now)};
  constexpr std::int64_t kFirstSecret = 1;
  transaction.sql.insert_endpoint_secret.run(create.tenant, key, kFirstSecret, Blob{create.sealed_secret});
  transaction.forget_endpoint(key);
  if (create.subscription)
    subscribe(transaction, create.tenant, key, create.subscription->id, create.subscription->event_types, create.now);
  return store::Committed{store::Endpoint{.key = key,
                                          .tenant = create.tenant,
                                          .id = create.id,
                                          .version = Version{1},
                                          .config_json = create.config_json,
                                          .secrets = {{kFirstSecret, create.sealed_secret, std::nullopt}},
                                          .created_at = create.now}};
}

store::CommitAnswer write(Transaction& transaction, const store::DeleteEndpoint& remove) {
  const std::optional<EndpointKey> key = find_live(transaction, remove.tenant, remove.id);
  if (!key) return refused(Fault::not_found, "there is no such endpoint");
  if (!planted(Planted::delete_endpoint_cancels_nothing))
    for (const DeliveryKey open : open_deliveries(transaction, *key)) cancel(transaction, open, remove.now);
  transaction.sql.delete_endpoint_secrets.run(remove.tenant, *key);
  transaction.sql.delete_endpoint_subscriptions.run(remove.tenant, *key);
  transaction.sql.delete_endpoint_wait.run(remove.tenant, *key);
  transaction.sql.mark_endpoint_deleted.run(*key, remove.now);
  transaction.forget_endpoint(*key);
  transaction.raise_routing_version(remove.tenant);
  return store::Committed{};
}

store::CommitAnswer write(Transaction& transaction, const store::CreateSubscription& create) {
  const std::optional<EndpointKey> endpoint = find_live(transaction, create.tenant, create.endpoint);
  if (!endpoint) return refused(Fault::not_found, "there is no such endpoint");
  if (subscription_exists(transaction, create.tenant, create.id))
    return refused(Fault::conflict, "there is a subscription of this id");
  const SubscriptionKey key =
      subscribe(transaction, create.tenant, *endpoint, create.id, create.event_types, create.now);
  transaction.sql.raise_endpoint_version.run(*endpoint);
  transaction.forget_endpoint(*endpoint);
  return store::Committed{store::Subscription{.key = key,
                                              .tenant = create.tenant,
                                              .id = create.id,
                                              .endpoint = create.endpoint,
                                              .event_types = create.event_types,
                                              .created_at = create.now}};
}

store::CommitAnswer write(Transaction& transaction, const store::DeleteSubscription& remove) {
  std::optional<std::pair<SubscriptionKey, EndpointKey>> found;
  {
    auto row = transaction.sql.find_subscription.query(remove.tenant, remove.id.text);
    if (row.next()) found.emplace(row.get<SubscriptionKey>(0), row.get<EndpointKey>(1));
  }
  if (!found) return refused(Fault::not_found, "there is no such subscription");
  transaction.sql.delete_subscription.run(found->first);
  transaction.sql.raise_endpoint_version.run(found->second);
  transaction.forget_endpoint(found->second);
  transaction.raise_routing_version(remove.tenant);
  return store::Committed{};
}

}  // namespace semel::sqlite
