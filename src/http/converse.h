// converse.h: one request written and its response read on one connection.
#pragma once

#include <string_view>

#include "http/response_reader.h"
#include "port/net.h"

namespace semel::http {

enum class Ended {
  complete,  // and nothing behind it
  leftover,  // complete, and bytes nobody asked for behind it, or a part of the request unsent: the connection must go
  over_cap,
  malformed,
  lost,       // closed or reset by the other side
  timed_out,  // `cancel` was requested
};

// Writes all of `request`, then reads until the response is complete or cannot become so. When the other side broke the
// connection under the request, its answer is read all the same: it may have refused early (a success
// does not count then: `lost`). All arguments must live until completion.
Co<Ended> converse(Stream& stream, std::string_view request, ResponseReader& response, Cancel& cancel);

}  // namespace semel::http
