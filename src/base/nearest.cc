// nearest.cc: edit distance, one row at a time.
#include "base/nearest.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace semel {
namespace {

constexpr std::size_t kNameLengthMax = 64;

// Both at most kNameLengthMax long.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::array<std::size_t, kNameLengthMax + 1> row;  // row[k]: from the bytes of `a` so far to the first k of `b`
  for (std::size_t k = 0; k <= b.size(); ++k) row[k] = k;
  for (const char c : a) {
    std::size_t diagonal = row[0]++;
    for (std::size_t k = 1; k <= b.size(); ++k) {
      const std::size_t replaced = diagonal + (c == b[k - 1] ? 0 : 1);
      diagonal = row[k];
      row[k] = std::min({replaced, row[k] + 1, row[k - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string_view> nearest_name(std::string_view name, std::span<const std::string_view> known) {
  if (name.size() > kNameLengthMax) return std::nullopt;
  std::optional<std::string_view> nearest;
  std::size_t nearest_distance = 0;
  for (const std::string_view candidate : known) {
    if (candidate.size() > kNameLengthMax) continue;
    const std::size_t distance = edit_distance(name, candidate);
    const std::size_t distance_max = (std::max(name.size(), candidate.size()) + 2) / 3;
    if (distance > distance_max || (nearest && distance >= nearest_distance)) continue;
    nearest = candidate;
    nearest_distance = distance;
  }
  return nearest;
}

std::string nearest_name_hint(std::string_view name, std::span<const std::string_view> known) {
  const std::optional<std::string_view> nearest = nearest_name(name, known);
  return nearest ? " (did you mean " + std::string(*nearest) + "?)" : "";
}

}  // namespace semel
