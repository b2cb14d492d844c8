// router.h: finds the route of a method and a path.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/api_call.h"

namespace semel::api {

enum class KeyUse { refused, honoured };  // of the header Idempotency-Key

struct Route {
  std::string_view method;
  std::string_view pattern;            // "/v1/events/{id}"
  std::optional<access::Right> right;  // none: any valid key
  Handler handler;
  std::span<const std::string_view> query = {};  // the parameters it knows
  KeyUse key = KeyUse::refused;
};

struct Routed {
  const Route* route;
  std::vector<std::string> path;  // the parameters, percent-decoded
};
struct NoSuchPath {};
struct OtherMethods {
  std::string allow;  // for the header Allow
};
using Routing = std::variant<Routed, NoSuchPath, OtherMethods>;

Routing find_route(std::span<const Route> routes, std::string_view method, std::string_view path);

}  // namespace semel::api
