// deliveries.cc: GET /v1/deliveries, /v1/deliveries/{id}, /v1/dead-letters; POST /v1/deliveries/{id}/replay.
#include <utility>

#include "api/answer.h"
#include "api/body.h"
#include "api/resources.h"
#include "api/views.h"

namespace semel::api {

namespace {

constexpr delivery::StateName kStates[] = {
    delivery::StateName::due,       delivery::StateName::in_flight, delivery::StateName::unknown,
    delivery::StateName::parked,    delivery::StateName::delivered, delivery::StateName::dead,
    delivery::StateName::cancelled,
};

Answered<void> choose_state(store::DeliveryFilter& filter, std::string_view text) {
  if (text == "blocked") {
    filter.blocked_only = true;
    return {};
  }
  for (const delivery::StateName state : kStates) {
    if (text != delivery::name_of(state)) continue;
    filter.state = state;
    return {};
  }
  return refuse("QUERY_INVALID", "state is due, in_flight, unknown, parked, blocked, delivered, dead or cancelled");
}

Answered<store::DeliveryFilter> filter_of(const ApiCall& call) {
  store::DeliveryFilter filter{.tenant = call.tenant};
  if (const auto state = call.query.find("state")) {
    if (Answered<void> chosen = choose_state(filter, *state); !chosen)
      return std::unexpected(std::move(chosen.error()));
  }
  if (const auto endpoint = call.query.find("endpoint_id")) filter.endpoint = EndpointId{std::string(*endpoint)};
  Answered<std::size_t> limit = call.query.limit();
  if (!limit) return std::unexpected(std::move(limit.error()));
  filter.limit = *limit;
  return filter;
}

// One page; nothing when the cursor names no delivery of this tenant.
using Page = std::optional<std::vector<store::DeliveryView>>;
Result<Page> read_page(store::StoreReader& reader, store::DeliveryFilter filter,
                       std::optional<std::string_view> cursor) {
  if (cursor) {
    const Result<DeliveryId> id = parse_delivery_id(*cursor);
    if (!id) return std::nullopt;
    SEMEL_TRY(last, reader.delivery(filter.tenant, *id));
    if (!last) return std::nullopt;
    filter.after = last->key;
  }
  SEMEL_TRY(deliveries, reader.deliveries(filter));
  return deliveries;
}

Co<Answer> list_filtered(Services& services, ApiCall call, store::DeliveryFilter filter) {
  const Result<Page> page = co_await store::read(
      services.store, [&](store::StoreReader& reader) { return read_page(reader, filter, call.query.find("cursor")); });
  if (!page) co_return refuse(page.error());
  if (!*page) co_return refuse("CURSOR_INVALID", "start again without cursor");
  co_return page_response("deliveries", **page, filter.limit, append_delivery,
                          [](const store::DeliveryView& last) { return format_delivery_id(last.id); });
}

struct WholeDelivery {
  store::DeliveryView delivery;
  std::vector<store::AttemptView> attempts;
};

Result<WholeDelivery> read_delivery(store::StoreReader& reader, TenantKey tenant, const DeliveryId& id) {
  SEMEL_TRY(delivery, reader.delivery(tenant, id));
  if (!delivery) return fail(Fault::not_found, "no delivery has this id");
  SEMEL_TRY(attempts, reader.attempts(delivery->key));
  return WholeDelivery{.delivery = *std::move(delivery), .attempts = std::move(attempts)};
}

Answered<DeliveryId> id_of(const ApiCall& call) {
  Result<DeliveryId> id = parse_delivery_id(call.path.front());
  if (!id) return refuse("NOT_FOUND", "no delivery has this id");
  return *std::move(id);
}

// The body may be absent or {}. `out_of_order` is known by name and comes later.
Answered<void> check_replay_body(const HttpRequest& request) {
  if (request.body.empty()) return {};
  Answered<JsonDocument> document = read_body(request);
  if (!document) return std::unexpected(std::move(document.error()));
  const JsonValue root = document->root();
  if (root.kind() == JsonKind::object && root.find("out_of_order"))
    return std::unexpected(
        member_problem("NOT_SUPPORTED_YET", "out_of_order", "replays out of order are not available yet"));
  return check_members(root, {});
}

HttpResponse replayed(const DeliveryId& id, bool already_open) {
  JsonWriter json;
  json.object().member("id", format_delivery_id(id)).member("already_open", already_open);
  return json_response(202, json.end().take());
}

}  // namespace

Co<Answer> list_deliveries(Services& services, ApiCall call) {
  Answered<store::DeliveryFilter> filter = filter_of(call);
  if (!filter) co_return std::unexpected(std::move(filter.error()));
  co_return co_await list_filtered(services, std::move(call), *std::move(filter));
}

Co<Answer> list_dead_letters(Services& services, ApiCall call) {
  Answered<store::DeliveryFilter> filter = filter_of(call);
  if (!filter) co_return std::unexpected(std::move(filter.error()));
  filter->state = delivery::StateName::dead;
  co_return co_await list_filtered(services, std::move(call), *std::move(filter));
}

Co<Answer> show_delivery(Services& services, ApiCall call) {
  const Answered<DeliveryId> id = id_of(call);
  if (!id) co_return std::unexpected(id.error());
  const Result<WholeDelivery> whole = co_await store::read(
      services.store, [&](store::StoreReader& reader) { return read_delivery(reader, call.tenant, *id); });
  if (!whole) co_return refuse(whole.error());
  JsonWriter json;
  json.object();
  append_delivery_members(json, whole->delivery);
  json.key("attempt_list").array();
  for (const store::AttemptView& attempt : whole->attempts) append_attempt(json, attempt);
  co_return json_response(200, json.end().end().take());
}

Co<Answer> replay_delivery(Services& services, ApiCall call) {
  const Answered<DeliveryId> id = id_of(call);
  if (!id) co_return std::unexpected(id.error());
  if (Answered<void> body = check_replay_body(call.request); !body) co_return std::unexpected(std::move(body.error()));
  const Result<engine::ReplayOutcome> outcome = co_await services.dispatcher.replay(call.tenant, *id);
  if (!outcome) co_return refuse(outcome.error());
  switch (*outcome) {
    case engine::ReplayOutcome::opened:
      co_return replayed(*id, false);
    case engine::ReplayOutcome::already_open:
      co_return replayed(*id, true);
    case engine::ReplayOutcome::would_break_order:
      co_return refuse("WOULD_BREAK_ORDER", "the endpoint has a later event of this ordering key already");
    case engine::ReplayOutcome::endpoint_gone:
      co_return refuse("ENDPOINT_GONE", "nothing is sent to a deleted endpoint");
  }
  std::unreachable();
}

}  // namespace semel::api
