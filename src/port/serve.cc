// serve.cc: looking up request headers.
#include "port/serve.h"

namespace semel {

std::vector<std::string_view> HttpRequest::header_lines(std::string_view name) const {
  std::vector<std::string_view> lines;
  for (const auto& [header_name, value] : headers)
    if (header_name == name) lines.push_back(value);
  return lines;
}

std::optional<std::string_view> HttpRequest::header(std::string_view name) const {
  const std::vector<std::string_view> lines = header_lines(name);
  if (lines.size() != 1) return std::nullopt;
  return lines.front();
}

}  // namespace semel
