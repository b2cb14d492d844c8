// routes.cc: method, path, right, handler, query parameters.
#include "api/routes.h"

#include "api/resources.h"

namespace semel::api {

namespace {

using access::Right;

constexpr std::string_view kEventQuery[] = {"correlation_id", "type", "since", "cursor", "limit"};
constexpr std::string_view kDeliveryQuery[] = {"state", "endpoint_id", "cursor", "limit"};
constexpr std::string_view kDeadLetterQuery[] = {"endpoint_id", "cursor", "limit"};

constexpr Route kRoutes[] = {
    {"POST", "/v1/events", Right::send_events, submit_event, {}, KeyUse::honoured},
    {"POST", "/v1/events/batch", Right::send_events, submit_batch, {}, KeyUse::honoured},
    {"GET", "/v1/events", Right::read, list_events, kEventQuery},
    {"GET", "/v1/events/{id}", Right::read, show_event},
    {"GET", "/v1/events/{id}/attempts", Right::read, list_event_attempts},

    {"POST", "/v1/endpoints", Right::manage_endpoints, create_endpoint},
    {"GET", "/v1/endpoints", Right::read, list_endpoints},
    {"GET", "/v1/endpoints/{id}", Right::read, show_endpoint},
    {"DELETE", "/v1/endpoints/{id}", Right::manage_endpoints, delete_endpoint},

    {"POST", "/v1/subscriptions", Right::manage_endpoints, create_subscription},
    {"GET", "/v1/subscriptions", Right::read, list_subscriptions},
    {"GET", "/v1/subscriptions/{id}", Right::read, show_subscription},
    {"DELETE", "/v1/subscriptions/{id}", Right::manage_endpoints, delete_subscription},

    {"GET", "/v1/deliveries", Right::read, list_deliveries, kDeliveryQuery},
    {"GET", "/v1/deliveries/{id}", Right::read, show_delivery},
    {"POST", "/v1/deliveries/{id}/replay", Right::replay, replay_delivery},
    {"GET", "/v1/dead-letters", Right::read, list_dead_letters, kDeadLetterQuery},

    {"POST", "/v1/keys", Right::manage_keys, create_key},
    {"GET", "/v1/keys", Right::manage_keys, list_keys},
    {"DELETE", "/v1/keys/{id}", Right::manage_keys, delete_key},

    {"GET", "/v1/version", std::nullopt, show_version},
};

}  // namespace

std::span<const Route> routes() { return kRoutes; }

}  // namespace semel::api
