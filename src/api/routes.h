// routes.h: every route of the HTTP API, in one table.
#pragma once

#include <span>

#include "api/router.h"

namespace semel::api {

std::span<const Route> routes();

}  // namespace semel::api
