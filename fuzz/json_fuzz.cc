// json_fuzz.cc: what the strict reader takes is what it says, is read the same when it is written again, and every
// limit only refuses more.
#include "base/json.h"

#include <string>

#include "base/bytes.h"
#include "core/idempotency/fingerprint.h"
#include "fuzz/fuzz.h"

namespace semel::fuzz {
namespace {

int depth_of(const JsonValue& value) {
  int deepest = 0;
  for (std::size_t i = 0; i < value.size(); ++i) deepest = std::max(deepest, depth_of(value.at(i)));
  return deepest + (value.kind() == JsonKind::array || value.kind() == JsonKind::object ? 1 : 0);
}

bool holds_nul(const JsonValue& value) {
  if (value.kind() == JsonKind::string) return value.text().contains('\0');
  for (std::size_t i = 0; i < value.size(); ++i)
    if (holds_nul(value.at(i)) || (value.kind() == JsonKind::object && value.name(i).contains('\0'))) return true;
  return false;
}

void write(JsonWriter& writer, const JsonValue& value) {
  switch (value.kind()) {
    case JsonKind::null:
      writer.null();
      return;
    case JsonKind::boolean:
      writer.value(value.boolean());
      return;
    case JsonKind::number:
      writer.raw(value.raw());
      return;
    case JsonKind::string:
      writer.value(value.text());
      return;
    case JsonKind::array:
      writer.array();
      for (std::size_t i = 0; i < value.size(); ++i) write(writer, value.at(i));
      writer.end();
      return;
    case JsonKind::object:
      writer.object();
      for (std::size_t i = 0; i < value.size(); ++i) write(writer.key(value.name(i)), value.at(i));
      writer.end();
      return;
  }
}

void check_value(std::string_view within, const JsonValue& value) {
  const std::string_view raw = value.raw();
  SEMEL_CHECK(!raw.empty());
  SEMEL_CHECK(raw.data() >= within.data());
  SEMEL_CHECK(raw.data() + raw.size() <= within.data() + within.size());
  SEMEL_CHECK(is_valid_utf8(value.text()));
  if (const auto integer = value.integer()) {
    SEMEL_CHECK(value.kind() == JsonKind::number);
    SEMEL_CHECK(std::to_string(*integer) == raw || raw == "-0");
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    check_value(raw.substr(1, raw.size() - 2), value.at(i));
    if (value.kind() != JsonKind::object) continue;
    SEMEL_CHECK(is_valid_utf8(value.name(i)));
    SEMEL_CHECK(value.find(value.name(i))->raw().data() == value.at(i).raw().data());
  }
}

bool is_json(std::string_view bytes, const JsonLimits& limits = {}) { return parse_json(bytes, limits).has_value(); }

void check_limits(std::string_view bytes, const JsonValue& root) {
  const int depth = depth_of(root);
  SEMEL_CHECK(depth <= JsonLimits{}.depth_max);
  SEMEL_CHECK(is_json(bytes, {.depth_max = depth}));
  SEMEL_CHECK(depth == 0 || !is_json(bytes, {.depth_max = depth - 1}));
  SEMEL_CHECK(is_json(bytes, {.escaped_nul_allowed = false}) == !holds_nul(root));
}

void check_surroundings(std::string_view bytes, const JsonValue& root, Random& random) {
  SEMEL_CHECK(is_json(" \t\r\n" + std::string(bytes) + " \t\r\n"));
  SEMEL_CHECK(is_json("[" + std::string(bytes) + "]", {.depth_max = JsonLimits{}.depth_max + 1}));
  for (const char* behind : {",", "]", "}", "\"", "x", "\xEF\xBB\xBF", " 1"})
    SEMEL_CHECK(!is_json(std::string(bytes) + behind));
  if (root.kind() == JsonKind::number) return;
  const std::string_view raw = root.raw();
  SEMEL_CHECK(!is_json(raw.substr(0, random.below(raw.size()))));
}

void check_written(const JsonValue& root) {
  JsonWriter writer;
  write(writer, root);
  const std::string text = writer.take();
  const Result<JsonDocument> again = parse_json(text);
  SEMEL_CHECK(again.has_value());
  SEMEL_CHECK(idempotency::canonical_json(again->root()) == idempotency::canonical_json(root));
  JsonWriter second;
  write(second, again->root());
  SEMEL_CHECK(second.take() == text);
}

}  // namespace

void json(std::string_view bytes) {
  const Result<JsonDocument> document = parse_json(bytes);
  if (!document) {
    SEMEL_CHECK(document.error().fault == Fault::invalid);
    SEMEL_CHECK(is_plain(document.error().note));
    return;
  }
  SeededRandom random = chance_of(bytes);
  check_value(bytes, document->root());
  check_limits(bytes, document->root());
  check_surroundings(bytes, document->root(), random);
  check_written(document->root());
}

}  // namespace semel::fuzz
