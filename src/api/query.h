// query.h: the query string of a request: known names only, each at most once.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/problem.h"

namespace semel::api {

inline constexpr std::size_t kPageDefault = 50;
inline constexpr std::size_t kPageMax = 500;

class Query {
 public:
  // QUERY_UNKNOWN for a name that is not in `known`; QUERY_INVALID for a broken escape or a name that comes twice.
  static Answered<Query> parse(std::string_view text, std::span<const std::string_view> known);

  std::optional<std::string_view> find(std::string_view name) const;
  // The parameter `limit`: 1 to kPageMax.
  Answered<std::size_t> limit() const;

 private:
  std::vector<std::pair<std::string, std::string>> parameters_;
};

}  // namespace semel::api
