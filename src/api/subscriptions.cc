// subscriptions.cc: /v1/subscriptions. Deleting one stops later events only.
#include <algorithm>

#include "api/answer.h"
#include "api/body.h"
#include "api/resources.h"
#include "api/views.h"

namespace semel::api {

namespace {

struct NewSubscription {
  EndpointId endpoint;
  std::vector<std::string> event_types;
};

Answered<NewSubscription> read_new(const JsonValue& root) {
  if (Answered<void> members = check_members(root, {"endpoint_id", "event_types"}); !members)
    return std::unexpected(std::move(members.error()));
  Answered<std::string> endpoint = word(root, "endpoint_id");
  if (!endpoint) return std::unexpected(std::move(endpoint.error()));
  auto patterns = optional_patterns(root, "event_types");
  if (!patterns) return std::unexpected(std::move(patterns.error()));
  if (!*patterns) return std::unexpected(member_problem("MEMBER_MISSING", "event_types", "this member is required"));
  return NewSubscription{.endpoint = {*std::move(endpoint)}, .event_types = **std::move(patterns)};
}

}  // namespace

Co<Answer> create_subscription(Services& services, ApiCall call) {
  const Answered<JsonDocument> document = read_body(call.request);
  if (!document) co_return std::unexpected(document.error());
  Answered<NewSubscription> wanted = read_new(document->root());
  if (!wanted) co_return std::unexpected(std::move(wanted.error()));
  const Result<store::Subscription> made =
      co_await services.endpoints.subscribe(call.tenant, wanted->endpoint, std::move(wanted->event_types));
  if (!made) co_return refuse(made.error());
  JsonWriter json;
  append_subscription(json, *made);
  HttpResponse response = json_response(201, json.take());
  response.headers.emplace_back("location", "/v1/subscriptions/" + made->id.text);
  co_return response;
}

Co<Answer> list_subscriptions(Services& services, ApiCall call) {
  const Result<std::vector<store::Subscription>> rows = co_await services.endpoints.subscriptions(call.tenant);
  if (!rows) co_return refuse(rows.error());
  co_return list_response("subscriptions", *rows, append_subscription);
}

Co<Answer> show_subscription(Services& services, ApiCall call) {
  const Result<std::vector<store::Subscription>> rows = co_await services.endpoints.subscriptions(call.tenant);
  if (!rows) co_return refuse(rows.error());
  const auto found = std::ranges::find(*rows, SubscriptionId{call.path.front()}, &store::Subscription::id);
  if (found == rows->end()) co_return refuse("NOT_FOUND", "no subscription has this id");
  JsonWriter json;
  append_subscription(json, *found);
  co_return json_response(200, json.take());
}

Co<Answer> delete_subscription(Services& services, ApiCall call) {
  const Result<void> gone = co_await services.endpoints.unsubscribe(call.tenant, SubscriptionId{call.path.front()});
  if (!gone) co_return refuse(gone.error());
  co_return no_content();
}

}  // namespace semel::api
