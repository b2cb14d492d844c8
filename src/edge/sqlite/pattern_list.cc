// pattern_list.cc: over base/json.h.
#include "edge/sqlite/pattern_list.h"

#include "base/check.h"
#include "base/json.h"

namespace semel::sqlite {

std::string patterns_json(const std::vector<std::string>& patterns) {
  JsonWriter writer;
  writer.array();
  for (const std::string& pattern : patterns) writer.value(pattern);
  return writer.end().take();
}

std::vector<std::string> read_patterns_json(std::string_view json) {
  const Result<JsonDocument> document = parse_json(json);
  SEMEL_CHECK(document && document->root().kind() == JsonKind::array);
  std::vector<std::string> patterns;
  const JsonValue list = document->root();
  for (std::size_t i = 0; i < list.size(); ++i) patterns.emplace_back(list.at(i).text());
  return patterns;
}

}  // namespace semel::sqlite
