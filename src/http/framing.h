// framing.h: how long the body of a message is (RFC 9112 section 6), decided once from its header fields.
//
// Strict: Content-Length is 1*DIGIT, once (two lines or a list are malformed even when the values agree);
//         Transfer-Encoding is `chunked` alone, once, and only in HTTP/1.1; both together are malformed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "http/fields.h"

namespace semel::http {

enum class HttpVersion { http10, http11 };

struct NoBody {};
struct Length {
  std::uint64_t bytes;  // below 10^15: a larger number is no honest length and counts as malformed
};
struct Chunked {};
struct UntilClose {};
using Framing = std::variant<NoBody, Length, Chunked, UntilClose>;

// nullopt: malformed. A message that names no length has `unnamed`.
std::optional<Framing> framing_of(HttpVersion version, std::span<const Field> fields, Framing unnamed);

}  // namespace semel::http
