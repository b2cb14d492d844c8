// body.h: reading the JSON body of a request, strictly.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/problem.h"
#include "base/json.h"
#include "port/serve.h"

namespace semel::api {

struct BodyRules {
  std::size_t bytes_max = 64 * 1024;
  int depth_max = 64;
};

// The parsed body, which refers to request.body. MEDIA_TYPE_UNSUPPORTED, BODY_TOO_LARGE or BODY_INVALID.
Answered<JsonDocument> read_body(const HttpRequest& request, const BodyRules& rules = {});

// An object with no other members than these: BODY_INVALID, MEMBER_UNKNOWN.
Answered<void> check_members(const JsonValue& value, std::initializer_list<std::string_view> known);

// Nothing when absent; MEMBER_INVALID when it is not a string of 1 to 128 printable ASCII characters.
Answered<std::optional<std::string>> optional_word(const JsonValue& object, std::string_view name);
// The same, but MEMBER_MISSING when absent.
Answered<std::string> word(const JsonValue& object, std::string_view name);

// 1 to 100 event type patterns. Nothing when absent.
Answered<std::optional<std::vector<std::string>>> optional_patterns(const JsonValue& object, std::string_view name);

}  // namespace semel::api
