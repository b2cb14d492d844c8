// http_date.h: the preferred form of HTTP dates (IMF-fixdate, RFC 9110 section 5.6.7).
#pragma once

#include <string>

#include "base/time.h"

namespace semel::api {

std::string format_http_date(WallTime time);  // Sun, 06 Nov 1994 08:49:37 GMT

}  // namespace semel::api
