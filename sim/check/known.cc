// known.cc: looking up endpoints.
#include <algorithm>

#include "sim/check/checker.h"

namespace semel::sim {

const KnownEndpoint* Known::endpoint(const EndpointId& id) const {
  const auto found = std::ranges::find(endpoints, id, &KnownEndpoint::id);
  return found == endpoints.end() ? nullptr : &*found;
}

const KnownEndpoint* Known::endpoint_at(std::string_view host, std::string_view path) const {
  const auto found = std::ranges::find_if(
      endpoints, [&](const KnownEndpoint& endpoint) { return endpoint.path == path && endpoint.host == host; });
  return found == endpoints.end() ? nullptr : &*found;
}

}  // namespace semel::sim
