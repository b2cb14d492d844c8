// body.cc: media type, size, syntax, members: in this order.
#include "api/body.h"

#include <algorithm>
#include <cctype>

#include "base/probe.h"
#include "core/routing/pattern.h"

namespace semel::api {

namespace {

constexpr std::size_t kPatternsMax = 100;
constexpr std::size_t kWordBytesMax = 128;

bool is_json(const HttpRequest& request) {
  const std::optional<std::string_view> type = request.header("content-type");
  if (!type) return false;
  std::string essence(type->substr(0, type->find(';')));
  essence.erase(0, essence.find_first_not_of(" \t"));
  essence.erase(essence.find_last_not_of(" \t") + 1);
  std::ranges::transform(essence, essence.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return essence == "application/json";
}

std::string list_of(std::initializer_list<std::string_view> names) {
  if (names.size() == 0) return "no members are known here";
  std::string list = "known are";
  for (const std::string_view name : names) list.append(" ").append(name);
  return list;
}

}  // namespace

Answered<JsonDocument> read_body(const HttpRequest& request, const BodyRules& rules) {
  if (!is_json(request)) return refuse("MEDIA_TYPE_UNSUPPORTED", "send content-type: application/json");
  probe::sometimes<"api.body_too_large">(request.body.size() > rules.bytes_max);
  if (request.body.size() > rules.bytes_max)
    return refuse("BODY_TOO_LARGE", "at most " + std::to_string(rules.bytes_max) + " bytes are taken here");
  Result<JsonDocument> document = parse_json(request.body, {.depth_max = rules.depth_max});
  if (!document) return refuse("BODY_INVALID", document.error().note);
  return *std::move(document);
}

Answered<void> check_members(const JsonValue& value, std::initializer_list<std::string_view> known) {
  if (value.kind() != JsonKind::object) return refuse("BODY_INVALID", "the body is not a JSON object");
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (std::ranges::find(known, value.name(i)) == known.end())
      return std::unexpected(member_problem("MEMBER_UNKNOWN", value.name(i), list_of(known)));
  }
  return {};
}

Answered<std::optional<std::string>> optional_word(const JsonValue& object, std::string_view name) {
  const std::optional<JsonValue> value = object.find(name);
  if (!value) return std::nullopt;
  const bool fits = value->kind() == JsonKind::string && !value->text().empty() &&
                    value->text().size() <= kWordBytesMax &&
                    std::ranges::all_of(value->text(), [](char c) { return c >= 0x20 && c < 0x7F; });
  if (!fits)
    return std::unexpected(
        member_problem("MEMBER_INVALID", name, "a string of 1 to 128 printable ASCII characters is expected"));
  return std::string(value->text());
}

Answered<std::string> word(const JsonValue& object, std::string_view name) {
  Answered<std::optional<std::string>> found = optional_word(object, name);
  if (!found) return std::unexpected(std::move(found.error()));
  if (!*found) return std::unexpected(member_problem("MEMBER_MISSING", name, "this member is required"));
  return **std::move(found);
}

Answered<std::optional<std::vector<std::string>>> optional_patterns(const JsonValue& object, std::string_view name) {
  const std::optional<JsonValue> value = object.find(name);
  if (!value) return std::nullopt;
  const auto invalid = [&](std::string_view note) {
    return std::unexpected(member_problem("MEMBER_INVALID", name, note));
  };
  if (value->kind() != JsonKind::array || value->size() < 1 || value->size() > kPatternsMax)
    return invalid("an array of 1 to 100 event types or patterns is expected");
  std::vector<std::string> patterns;
  for (std::size_t i = 0; i < value->size(); ++i) {
    const JsonValue element = value->at(i);
    if (element.kind() != JsonKind::string || !routing::is_valid_pattern(element.text()))
      return invalid("each element is an event type, a prefix of whole segments and .*, or *");
    patterns.emplace_back(element.text());
  }
  return patterns;
}

}  // namespace semel::api
