// query.cc: reading a query string.
#include "api/query.h"

#include <algorithm>
#include <charconv>

#include "base/bytes.h"

namespace semel::api {

namespace {

std::optional<std::string> decode(std::string_view text) {
  std::string spaced(text);
  std::ranges::replace(spaced, '+', ' ');
  std::optional<std::string> decoded = percent_decode(spaced);
  if (decoded && !is_valid_utf8(*decoded)) return std::nullopt;
  return decoded;
}

std::string list_of(std::span<const std::string_view> names) {
  if (names.empty()) return "this route takes no query parameters";
  std::string list = "known are";
  for (const std::string_view name : names) list.append(" ").append(name);
  return list;
}

}  // namespace

Answered<Query> Query::parse(std::string_view text, std::span<const std::string_view> known) {
  Query query;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    std::optional<std::string> name = decode(pair.substr(0, equals));
    std::optional<std::string> value = decode(pair.substr(std::min(pair.size(), equals + 1)));
    if (!name || !value) return refuse("QUERY_INVALID", "the query is not percent-encoded UTF-8");
    if (std::ranges::find(known, *name) == known.end()) return refuse("QUERY_UNKNOWN", list_of(known));
    if (query.find(*name)) return refuse("QUERY_INVALID", *name + " comes twice");
    query.parameters_.emplace_back(*std::move(name), *std::move(value));
  }
  return query;
}

std::optional<std::string_view> Query::find(std::string_view name) const {
  const auto found =
      std::ranges::find(parameters_, name, [](const auto& pair) -> std::string_view { return pair.first; });
  if (found == parameters_.end()) return std::nullopt;
  return found->second;
}

Answered<std::size_t> Query::limit() const {
  const std::optional<std::string_view> text = find("limit");
  if (!text) return kPageDefault;
  std::size_t limit = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), limit);
  if (error != std::errc{} || end != text->data() + text->size() || limit < 1 || limit > kPageMax)
    return refuse("QUERY_INVALID", "limit is a whole number from 1 to 500");
  return limit;
}

}  // namespace semel::api
