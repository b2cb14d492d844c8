// nearest.h: the known name a mistyped one was probably meant to be.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace semel {

// The known name with the smallest edit distance (Levenshtein, in bytes), if that is at most a third of the longer
// name's length, rounded up; the first of equals. nullopt for names over 64 bytes.
std::optional<std::string_view> nearest_name(std::string_view name, std::span<const std::string_view> known);

// " (did you mean X?)", or nothing.
std::string nearest_name_hint(std::string_view name, std::span<const std::string_view> known);

}  // namespace semel
