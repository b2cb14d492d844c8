// response_writer.h: a response as bytes.
#pragma once

#include <string>

#include "base/time.h"
#include "port/serve.h"

namespace semel::http {

struct ResponseFrame {
  WallTime now;               // for Date
  bool closes = false;        // says Connection: close
  bool without_body = false;  // answers HEAD
};

// One contiguous text. Content-Length, Date and Connection are written here; a handler that gives them, or a name or
// value that is not a header line, gets an empty 500 in place of its response.
std::string text_of(const HttpResponse& response, const ResponseFrame& frame);

const char* reason_phrase(int status);
std::string http_date(WallTime time);  // IMF-fixdate, RFC 9110 section 5.6.7

}  // namespace semel::http
