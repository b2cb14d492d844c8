// query_fuzz.cc: a query string says the same in any order of its parameters and in any spelling of their escapes.
#include "api/query.h"

#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "fuzz/fuzz.h"

namespace semel::fuzz {
namespace {

using api::Query;
using Parameters = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kKnown[] = {"limit", "cursor", "state", "event type"};

Parameters parameters_of(const Query& query) {
  Parameters parameters;
  for (const std::string_view name : kKnown)
    if (const auto value = query.find(name)) parameters.emplace_back(name, *value);
  return parameters;
}

void check_limit(const Query& query) {
  const auto limit = query.limit();
  if (!limit) {
    SEMEL_CHECK(limit.error().kind->code == "QUERY_INVALID");
    return;
  }
  SEMEL_CHECK(*limit >= 1 && *limit <= api::kPageMax);
  SEMEL_CHECK(query.find("limit") || *limit == api::kPageDefault);
}

}  // namespace

void query(std::string_view bytes) {
  const auto query = Query::parse(bytes, kKnown);
  if (!query) {
    const std::string_view code = query.error().kind->code;
    SEMEL_CHECK(code == "QUERY_INVALID" || code == "QUERY_UNKNOWN");
    return;
  }
  check_limit(*query);
  Parameters parameters = parameters_of(*query);
  for (std::size_t turn = 0; turn < parameters.size(); ++turn) {
    std::ranges::rotate(parameters, parameters.begin() + 1);
    std::string text;
    for (const auto& [name, value] : parameters) text += "&" + percent_encode(name) + "=" + percent_encode(value);
    const auto again = Query::parse(text, kKnown);
    SEMEL_CHECK(again.has_value());
    SEMEL_CHECK(parameters_of(*again) == parameters_of(*query));
    SEMEL_CHECK(!Query::parse(text + text, kKnown));
  }
  SEMEL_CHECK(!Query::parse(std::string(bytes) + "&unknown=1", kKnown));
}

}  // namespace semel::fuzz
