// pattern.cc: matching event types, and who gets an event.
#include "core/routing/pattern.h"

#include <algorithm>

namespace semel::routing {
namespace {

constexpr std::size_t kTypeLengthMax = 128;
constexpr std::ptrdiff_t kSegmentsMax = 8;
constexpr std::string_view kAll = "*";
constexpr std::string_view kFurtherSegments = ".*";

bool is_type_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

}  // namespace

bool is_valid_event_type(std::string_view type) {
  return !type.empty() && type.size() <= kTypeLengthMax && std::ranges::all_of(type, is_type_character) &&
         !type.starts_with('.') && !type.ends_with('.') && type.find("..") == std::string_view::npos &&
         std::ranges::count(type, '.') < kSegmentsMax;
}

bool is_valid_pattern(std::string_view pattern) {
  if (pattern == kAll) return true;
  if (!pattern.ends_with(kFurtherSegments)) return is_valid_event_type(pattern);
  // Valid only where an event type can match it: with the shortest further segment in place of the star.
  return is_valid_event_type(std::string(pattern.substr(0, pattern.size() - 1)) + "x");
}

bool matches(std::string_view pattern, std::string_view type) {
  if (pattern == kAll) return true;
  if (!pattern.ends_with(kFurtherSegments)) return pattern == type;
  return type.starts_with(pattern.substr(0, pattern.size() - 1));  // with the dot, at which no type ends
}

bool matches_any(const std::vector<std::string>& patterns, std::string_view type) {
  return std::ranges::any_of(patterns, [type](const std::string& pattern) { return matches(pattern, type); });
}

std::vector<EndpointKey> route(const RoutingTable& table, std::string_view type) {
  std::vector<EndpointKey> endpoints;
  if (!matches_any(table.allowed_event_types, type)) return endpoints;
  for (const Subscription& subscription : table.subscriptions)
    if (matches_any(subscription.patterns, type)) endpoints.push_back(subscription.endpoint);
  std::ranges::sort(endpoints);
  const auto repeated = std::ranges::unique(endpoints);
  endpoints.erase(repeated.begin(), repeated.end());
  return endpoints;
}

}  // namespace semel::routing
