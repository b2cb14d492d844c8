// reader.cc: rows into the values of port/store.h.
#include "edge/sqlite/reader.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "edge/sqlite/delivery_rows.h"
#include "edge/sqlite/pattern_list.h"
#include "edge/sqlite/statement.h"
#include "sql/queries.h"

namespace semel::sqlite {

struct Reader::Statements {
  explicit Statements(Connection& c) : connection(c) {}

  Connection& connection;
  Statement list_tenants{connection, sql::list_tenants};
  Statement list_endpoints{connection, sql::list_endpoints};
  Statement find_endpoint{connection, sql::find_endpoint};
  Statement read_endpoint{connection, sql::read_endpoint};
  Statement list_endpoint_secrets{connection, sql::list_endpoint_secrets};
  Statement find_endpoint_wait{connection, sql::find_endpoint_wait};
  Statement list_subscriptions{connection, sql::list_subscriptions};
  Statement list_api_keys{connection, sql::list_api_keys};
  Statement list_open_deliveries{connection, sql::list_open_deliveries};
  Statement list_dead_deliveries_that_block{connection, sql::list_dead_deliveries_that_block};
  Statement read_delivery{connection, sql::read_delivery};
  Statement find_highest_delivered{connection, sql::find_highest_delivered};
  Statement read_event_body{connection, sql::read_event_body};
  Statement find_event{connection, sql::find_event};
  Statement show_event{connection, sql::show_event};
  Statement list_event_keys{connection, sql::list_event_keys};
  Statement list_event_keys_by_correlation{connection, sql::list_event_keys_by_correlation};
  Statement find_delivery{connection, sql::find_delivery};
  Statement show_delivery{connection, sql::show_delivery};
  Statement list_delivery_keys{connection, sql::list_delivery_keys};
  Statement list_open_delivery_keys{connection, sql::list_open_delivery_keys};
  Statement list_dead_delivery_keys{connection, sql::list_dead_delivery_keys};
  Statement list_blocked_delivery_keys{connection, sql::list_blocked_delivery_keys};
  Statement list_delivery_keys_of_event{connection, sql::list_delivery_keys_of_event};
  Statement list_attempts{connection, sql::list_attempts};
};

namespace {

constexpr std::size_t kPageMax = 500;

template <class Key>
std::vector<Key> keys_of(Statement::Rows rows) {
  std::vector<Key> keys;
  while (rows.next()) keys.push_back(rows.get<Key>(0));
  return keys;
}

store::Endpoint endpoint_of(const Statement::Rows& row) {
  return {.key = row.get<EndpointKey>(0),
          .tenant = row.get<TenantKey>(1),
          .id = EndpointId{row.get<std::string>(2)},
          .version = row.get<Version>(3),
          .config_json = row.get<std::string>(4),
          .created_at = row.get<WallTime>(5),
          .deleted_at = row.get<std::optional<WallTime>>(6)};
}

std::vector<store::Delivery> deliveries_of_rows(Statement::Rows rows) {
  std::vector<store::Delivery> deliveries;
  while (rows.next()) deliveries.push_back(read_delivery(rows));
  return deliveries;
}

std::optional<store::Endpoint> first_endpoint(Statement::Rows rows) {
  if (!rows.next()) return std::nullopt;
  return endpoint_of(rows);
}

store::ApiKeyRow api_key_of(const Statement::Rows& row) {
  return {.key = {.id = ApiKeyId{row.get<std::string>(0)},
                  .secret_hash = row.get<Bytes32>(1),
                  .role = row.get<access::Role>(2),
                  .tenant = row.get<std::optional<TenantKey>>(3),
                  .client = row.get<std::string>(4),
                  .event_types = row.get<std::optional<std::string>>(5).transform(read_patterns_json)},
          .created_at = row.get<WallTime>(6)};
}

store::OutcomeView outcome_of(const Statement::Rows& row) {
  return {.late = row.get<bool>(4),
          .at = row.get<WallTime>(5),
          .result = row.get<std::string>(6),
          .failure = row.get<std::optional<FailureClass>>(7),
          .http_status = row.get<std::optional<int>>(8),
          .reason = row.get<std::string>(9)};
}

}  // namespace

Reader::Reader(Connection& connection) : connection_(connection), sql_(std::make_unique<Statements>(connection)) {}
Reader::~Reader() = default;

void Reader::run(std::move_only_function<void(store::StoreReader&)>& read, const std::optional<Error>& refusal) {
  refusal_ = refusal;
  connection_.begin_snapshot();
  read(*this);
  connection_.rollback();
  connection_.clear_failure();
}

template <class T>
Result<T> Reader::answer(T value) {
  if (refusal_) return std::unexpected(*refusal_);
  if (!connection_.failure()) return value;
  return fail(Fault::unavailable, "the store could not read: " + connection_.failure()->note);
}

Result<std::vector<store::Tenant>> Reader::tenants() {
  std::vector<store::Tenant> tenants;
  auto rows = sql_->list_tenants.query();
  while (rows.next()) tenants.push_back({rows.get<TenantKey>(0), rows.get<std::string>(1), rows.get<std::string>(2)});
  return answer(std::move(tenants));
}

void Reader::complete(store::Endpoint& endpoint) {
  auto secrets = sql_->list_endpoint_secrets.query(endpoint.tenant, endpoint.key);
  while (secrets.next())
    endpoint.secrets.push_back(
        {secrets.get<std::int64_t>(0), secrets.get<std::string>(1), secrets.get<std::optional<WallTime>>(2)});
  auto wait = sql_->find_endpoint_wait.query(endpoint.tenant, endpoint.key);
  if (wait.next()) endpoint.wait = admission::Wait{wait.get<WallTime>(0), wait.get<milliseconds>(1)};
}

Result<std::vector<store::Endpoint>> Reader::endpoints(std::optional<TenantKey> tenant) {
  std::vector<store::Endpoint> endpoints;
  {
    auto rows = sql_->list_endpoints.query(tenant);
    while (rows.next()) endpoints.push_back(endpoint_of(rows));
  }
  for (store::Endpoint& endpoint : endpoints) complete(endpoint);
  return answer(std::move(endpoints));
}

Result<std::optional<store::Endpoint>> Reader::endpoint(TenantKey tenant, const EndpointId& id) {
  std::optional<store::Endpoint> endpoint = first_endpoint(sql_->find_endpoint.query(tenant, id.text));
  if (endpoint) complete(*endpoint);
  return answer(std::move(endpoint));
}

Result<std::optional<store::Endpoint>> Reader::endpoint(EndpointKey key) {
  std::optional<store::Endpoint> endpoint = first_endpoint(sql_->read_endpoint.query(key));
  if (endpoint) complete(*endpoint);
  return answer(std::move(endpoint));
}

Result<std::vector<store::Subscription>> Reader::subscriptions(TenantKey tenant) {
  std::vector<store::Subscription> subscriptions;
  auto rows = sql_->list_subscriptions.query(tenant);
  while (rows.next())
    subscriptions.push_back({.key = rows.get<SubscriptionKey>(0),
                             .tenant = tenant,
                             .id = SubscriptionId{rows.get<std::string>(1)},
                             .endpoint = EndpointId{rows.get<std::string>(2)},
                             .event_types = read_patterns_json(rows.get<std::string_view>(3)),
                             .created_at = rows.get<WallTime>(4)});
  return answer(std::move(subscriptions));
}

Result<std::vector<store::ApiKeyRow>> Reader::api_keys() {
  std::vector<store::ApiKeyRow> keys;
  auto rows = sql_->list_api_keys.query();
  while (rows.next()) keys.push_back(api_key_of(rows));
  return answer(std::move(keys));
}

Result<std::vector<store::Delivery>> Reader::open_deliveries(DeliveryKey after, std::size_t limit) {
  const std::vector<store::Delivery> open = deliveries_of_rows(sql_->list_open_deliveries.query(after, limit));
  const std::vector<store::Delivery> dead =
      deliveries_of_rows(sql_->list_dead_deliveries_that_block.query(after, limit));
  std::vector<store::Delivery> both;
  std::ranges::merge(open, dead, std::back_inserter(both), {}, &store::Delivery::key, &store::Delivery::key);
  if (both.size() > limit) both.erase(both.begin() + static_cast<std::ptrdiff_t>(limit), both.end());
  return answer(std::move(both));
}

Result<std::optional<store::Delivery>> Reader::delivery(DeliveryKey key) {
  std::optional<store::Delivery> delivery;
  auto row = sql_->read_delivery.query(key);
  if (row.next()) delivery = read_delivery(row);
  return answer(std::move(delivery));
}

Result<Sequence> Reader::highest_delivered(TenantKey tenant, EndpointKey endpoint, LineKey line) {
  auto row = sql_->find_highest_delivered.query(tenant, endpoint, line);
  return answer(row.next() ? row.get<Sequence>(0) : Sequence{0});
}

Result<std::vector<store::EventBody>> Reader::event_bodies(const std::vector<EventKey>& keys) {
  std::vector<store::EventBody> bodies;
  for (const EventKey key : keys) {
    auto row = sql_->read_event_body.query(key);
    if (!row.next()) continue;
    bodies.push_back({.key = row.get<EventKey>(0),
                      .id = EventId{row.get<std::string>(1)},
                      .envelope = row.get<std::string>(2),
                      .data_offset = row.get<std::size_t>(3),
                      .ordering_key = row.get<std::optional<std::string>>(4),
                      .sequence = row.get<std::optional<Sequence>>(5),
                      .correlation_id = row.get<std::optional<std::string>>(6),
                      .type = row.get<std::string>(7)});
  }
  return answer(std::move(bodies));
}

std::optional<store::EventView> Reader::show_event(EventKey key) {
  auto row = sql_->show_event.query(key);
  if (!row.next()) return std::nullopt;
  return store::EventView{.key = row.get<EventKey>(0),
                          .id = EventId{row.get<std::string>(1)},
                          .type = row.get<std::string>(2),
                          .envelope = row.get<std::string>(3),
                          .ordering_key = row.get<std::optional<std::string>>(4),
                          .sequence = row.get<std::optional<Sequence>>(5),
                          .correlation_id = row.get<std::optional<std::string>>(6),
                          .accepted_at = row.get<WallTime>(7)};
}

Result<std::optional<store::EventView>> Reader::event(TenantKey tenant, const EventId& id) {
  const std::vector<EventKey> keys = keys_of<EventKey>(sql_->find_event.query(tenant, id.text));
  return answer(keys.empty() ? std::nullopt : show_event(keys.front()));
}

Result<std::vector<store::EventView>> Reader::events(const store::EventFilter& filter) {
  const std::size_t limit = std::min(filter.limit, kPageMax);
  const EventKey after = filter.after.value_or(EventKey{0});
  const std::vector<EventKey> keys = keys_of<EventKey>(
      filter.correlation_id ? sql_->list_event_keys_by_correlation.query(filter.tenant, after, filter.type,
                                                                         filter.since, limit, *filter.correlation_id)
                            : sql_->list_event_keys.query(filter.tenant, after, filter.type, filter.since, limit));
  std::vector<store::EventView> events;
  for (const EventKey key : keys)
    if (std::optional<store::EventView> event = show_event(key)) events.push_back(*std::move(event));
  return answer(std::move(events));
}

std::optional<store::DeliveryView> Reader::show_delivery(DeliveryKey key) {
  auto row = sql_->show_delivery.query(key);
  if (!row.next()) return std::nullopt;
  return read_delivery_view(row);
}

std::vector<store::DeliveryView> Reader::show_deliveries(const std::vector<DeliveryKey>& keys) {
  std::vector<store::DeliveryView> views;
  for (const DeliveryKey key : keys)
    if (std::optional<store::DeliveryView> view = show_delivery(key)) views.push_back(*std::move(view));
  return views;
}

Result<std::optional<store::DeliveryView>> Reader::delivery(TenantKey tenant, const DeliveryId& id) {
  const std::vector<DeliveryKey> keys =
      keys_of<DeliveryKey>(sql_->find_delivery.query(tenant, id.event.text, id.endpoint.text));
  return answer(keys.empty() ? std::nullopt : show_delivery(keys.front()));
}

std::optional<EndpointKey> Reader::endpoint_key(TenantKey tenant, const EndpointId& id) {
  const std::vector<EndpointKey> keys = keys_of<EndpointKey>(sql_->find_endpoint.query(tenant, id.text));
  return keys.empty() ? std::nullopt : std::optional(keys.front());
}

Result<std::vector<store::DeliveryView>> Reader::deliveries(const store::DeliveryFilter& filter) {
  std::optional<EndpointKey> endpoint;
  if (filter.endpoint) {
    endpoint = endpoint_key(filter.tenant, *filter.endpoint);
    if (!endpoint) return answer(std::vector<store::DeliveryView>{});
  }
  // Rare states are found by their own index, closed ones in the table itself.
  Statement& list = filter.blocked_only                                          ? sql_->list_blocked_delivery_keys
                    : filter.state && delivery::is_open(*filter.state)           ? sql_->list_open_delivery_keys
                    : filter.state && *filter.state == delivery::StateName::dead ? sql_->list_dead_delivery_keys
                                                                                 : sql_->list_delivery_keys;
  return answer(
      show_deliveries(keys_of<DeliveryKey>(list.query(filter.tenant, filter.after.value_or(DeliveryKey{0}), endpoint,
                                                      filter.state, std::min(filter.limit, kPageMax)))));
}

Result<std::vector<store::DeliveryView>> Reader::deliveries_of(TenantKey tenant, const EventId& id) {
  return answer(show_deliveries(keys_of<DeliveryKey>(sql_->list_delivery_keys_of_event.query(tenant, id.text))));
}

Result<std::vector<store::AttemptView>> Reader::attempts(DeliveryKey key) {
  std::vector<store::AttemptView> attempts;
  auto rows = sql_->list_attempts.query(key);
  while (rows.next()) {
    const auto number = rows.get<std::uint32_t>(0);
    if (attempts.empty() || attempts.back().number != number)
      attempts.push_back({.number = number,
                          .round = rows.get<std::uint32_t>(1),
                          .counts = rows.get<bool>(2),
                          .started_at = rows.get<WallTime>(3)});
    if (rows.get<std::optional<bool>>(4)) attempts.back().outcomes.push_back(outcome_of(rows));
  }
  return answer(std::move(attempts));
}

}  // namespace semel::sqlite
