// serve.h: one HTTP request in, one response out. The listener, its limits and its parser are src/http's.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "port/co.h"

namespace semel {

struct HttpRequest {
  std::string method;
  std::string path;                                          // percent-decoding is the handler's
  std::string query;                                         // without '?'
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case, in the order they came
  std::string body;

  // The value of the only header line of that name; nullopt when there is none or more than one.
  std::optional<std::string_view> header(std::string_view name) const;
  std::vector<std::string_view> header_lines(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;

  // What happens instead of an ordinary answer; only the receiver double asks for anything but `send`.
  enum class Fate { send, cut_connection, never_answer };
  Fate fate = Fate::send;
};

using HttpHandler = std::move_only_function<Co<HttpResponse>(HttpRequest)>;

}  // namespace semel
