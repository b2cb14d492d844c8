// pattern_list.h: lists of event type patterns as the JSON arrays that rows keep.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace semel::sqlite {

std::string patterns_json(const std::vector<std::string>& patterns);
// Stops the process on text that patterns_json did not write: the row is not what was stored.
std::vector<std::string> read_patterns_json(std::string_view json);

}  // namespace semel::sqlite
