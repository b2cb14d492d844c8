// router.cc: segments of a path against segments of the patterns.
#include "api/router.h"

#include "base/bytes.h"

namespace semel::api {

namespace {

std::string_view take_segment(std::string_view& rest) {
  rest.remove_prefix(1);  // the slash
  const std::string_view segment = rest.substr(0, rest.find('/'));
  rest.remove_prefix(segment.size());
  return segment;
}

// The parameters when the path has the pattern's shape. A parameter is never empty.
std::optional<std::vector<std::string>> match_path(std::string_view pattern, std::string_view path) {
  std::vector<std::string> parameters;
  while (!pattern.empty() && path.starts_with('/')) {
    const std::string_view wanted = take_segment(pattern);
    const std::string_view given = take_segment(path);
    if (wanted.starts_with('{')) {
      std::optional<std::string> parameter = percent_decode(given);
      if (!parameter || parameter->empty()) return std::nullopt;
      parameters.push_back(*std::move(parameter));
    } else if (wanted != given) {
      return std::nullopt;
    }
  }
  if (!pattern.empty() || !path.empty()) return std::nullopt;
  return parameters;
}

}  // namespace

Routing find_route(std::span<const Route> routes, std::string_view method, std::string_view path) {
  std::string allow;
  for (const Route& route : routes) {
    std::optional<std::vector<std::string>> parameters = match_path(route.pattern, path);
    if (!parameters) continue;
    if (route.method == method) return Routed{.route = &route, .path = *std::move(parameters)};
    allow.append(allow.empty() ? "" : ", ").append(route.method);
  }
  if (allow.empty()) return NoSuchPath{};
  return OtherMethods{std::move(allow)};
}

}  // namespace semel::api
