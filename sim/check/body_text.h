// body_text.h: the few members that checkers need out of a body, found as text: nobody parses JSON per observation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/keys.h"

namespace semel::sim {

// The world's number of an event, out of its `data`; 0: none of the world's producers made it.
std::uint64_t number_in_data(std::string_view data);
// Likewise out of an envelope or a request's body.
std::uint64_t number_in_envelope(std::string_view envelope);

// A request's body around its member `delivery`.
struct SplitBody {
  std::string_view before;    // up to the comma before the member
  std::string_view delivery;  // its value, an object
  std::string_view behind;    // from the comma behind it: `data`
  std::string_view endpoint;
  std::uint32_t round = 0;
  std::optional<Sequence> after;
};
// nullopt: there is no such member where it belongs.
std::optional<SplitBody> split_body(std::string_view body);

// RFC 3986 section 2.1, written apart from base/bytes.h.
std::string escaped(std::string_view text);

std::optional<std::uint64_t> whole_number(std::string_view text);

}  // namespace semel::sim
