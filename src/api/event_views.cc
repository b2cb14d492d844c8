// event_views.cc: GET /v1/events, /v1/events/{id}, /v1/events/{id}/attempts.
#include "api/answer.h"
#include "api/resources.h"
#include "api/views.h"

namespace semel::api {

namespace {

Answered<std::optional<WallTime>> since_of(const Query& query) {
  const std::optional<std::string_view> text = query.find("since");
  if (!text) return std::nullopt;
  const Result<WallTime> time = parse_rfc3339(*text);
  if (!time) return refuse("QUERY_INVALID", "since is an RFC 3339 time");
  return *time;
}

std::optional<std::string> text_of(const Query& query, std::string_view name) {
  const std::optional<std::string_view> text = query.find(name);
  if (!text) return std::nullopt;
  return std::string(*text);
}

Answered<store::EventFilter> filter_of(const ApiCall& call) {
  Answered<std::optional<WallTime>> since = since_of(call.query);
  if (!since) return std::unexpected(std::move(since.error()));
  Answered<std::size_t> limit = call.query.limit();
  if (!limit) return std::unexpected(std::move(limit.error()));
  return store::EventFilter{.tenant = call.tenant,
                            .correlation_id = text_of(call.query, "correlation_id"),
                            .type = text_of(call.query, "type"),
                            .since = *since,
                            .after = {},
                            .limit = *limit};
}

// One page; nothing when the cursor names no event of this tenant.
using Page = std::optional<std::vector<store::EventView>>;
Result<Page> read_page(store::StoreReader& reader, store::EventFilter filter, std::optional<std::string_view> cursor) {
  if (cursor) {
    SEMEL_TRY(last, reader.event(filter.tenant, EventId{std::string(*cursor)}));
    if (!last) return std::nullopt;
    filter.after = last->key;
  }
  SEMEL_TRY(events, reader.events(filter));
  return events;
}

struct WholeEvent {
  store::EventView event;
  std::vector<store::DeliveryView> deliveries;
};

Result<WholeEvent> read_event(store::StoreReader& reader, TenantKey tenant, const EventId& id) {
  SEMEL_TRY(event, reader.event(tenant, id));
  if (!event) return fail(Fault::not_found, "no event has this id");
  SEMEL_TRY(deliveries, reader.deliveries_of(tenant, id));
  return WholeEvent{.event = *std::move(event), .deliveries = std::move(deliveries)};
}

struct AttemptOfEvent {
  DeliveryId delivery;
  store::AttemptView attempt;
};

Result<std::vector<AttemptOfEvent>> read_attempts(store::StoreReader& reader, TenantKey tenant, const EventId& id) {
  SEMEL_TRY(whole, read_event(reader, tenant, id));
  std::vector<AttemptOfEvent> all;
  for (const store::DeliveryView& delivery : whole.deliveries) {
    SEMEL_TRY(attempts, reader.attempts(delivery.key));
    for (store::AttemptView& attempt : attempts)
      all.push_back({.delivery = delivery.id, .attempt = std::move(attempt)});
  }
  return all;
}

void append_attempt_of(JsonWriter& json, const AttemptOfEvent& row) {
  json.object()
      .member("delivery_id", format_delivery_id(row.delivery))
      .member("endpoint_id", row.delivery.endpoint.text);
  append_attempt_members(json, row.attempt);
  json.end();
}

}  // namespace

Co<Answer> list_events(Services& services, ApiCall call) {
  Answered<store::EventFilter> filter = filter_of(call);
  if (!filter) co_return std::unexpected(std::move(filter.error()));
  const Result<Page> page = co_await store::read(services.store, [&](store::StoreReader& reader) {
    return read_page(reader, *filter, call.query.find("cursor"));
  });
  if (!page) co_return refuse(page.error());
  if (!*page) co_return refuse("CURSOR_INVALID", "start again without cursor");
  co_return page_response("events", **page, filter->limit, append_event,
                          [](const store::EventView& last) { return last.id.text; });
}

Co<Answer> show_event(Services& services, ApiCall call) {
  const EventId id{call.path.front()};
  const Result<WholeEvent> whole = co_await store::read(
      services.store, [&](store::StoreReader& reader) { return read_event(reader, call.tenant, id); });
  if (!whole) co_return refuse(whole.error());
  JsonWriter json;
  json.object();
  append_event_members(json, whole->event);
  json.member("routing", whole->deliveries.empty() ? "no_match" : "matched").key("deliveries").array();
  for (const store::DeliveryView& delivery : whole->deliveries) append_delivery(json, delivery);
  json.end().key("envelope").raw(whole->event.envelope);
  co_return json_response(200, json.end().take());
}

Co<Answer> list_event_attempts(Services& services, ApiCall call) {
  const EventId id{call.path.front()};
  const Result<std::vector<AttemptOfEvent>> attempts = co_await store::read(
      services.store, [&](store::StoreReader& reader) { return read_attempts(reader, call.tenant, id); });
  if (!attempts) co_return refuse(attempts.error());
  co_return list_response("attempts", *attempts, append_attempt_of);
}

}  // namespace semel::api
