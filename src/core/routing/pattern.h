// pattern.h: event types, and the patterns that subscriptions and rights name them with.
//
// Event type: 1 to 8 segments of [A-Za-z0-9_-] joined by dots, 128 bytes in all. Pattern: an event type, or a prefix of
// whole segments and ".*", which stands for one or more further segments, or "*" for all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/keys.h"
#include "base/result.h"

namespace semel::routing {

bool is_valid_event_type(std::string_view type);
bool is_valid_pattern(std::string_view pattern);
bool matches(std::string_view pattern, std::string_view type);
bool matches_any(const std::vector<std::string>& patterns, std::string_view type);

// Who gets what, of one tenant, at one routing version.
struct Subscription {
  EndpointKey endpoint;
  std::vector<std::string> patterns;
};
struct RoutingTable {
  Version version;
  std::vector<std::string> allowed_event_types;  // of the tenant; a type outside is delivered to nobody
  std::vector<Subscription> subscriptions;       // of live endpoints only
};

// The endpoints that get an event of this type: each once, in rising order.
std::vector<EndpointKey> route(const RoutingTable& table, std::string_view type);

}  // namespace semel::routing
