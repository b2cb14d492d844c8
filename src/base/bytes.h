// bytes.h: text forms of bytes, and bytes of text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace semel {

inline std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
inline std::string_view as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string to_hex(std::string_view bytes);  // lower case
std::optional<std::string> from_hex(std::string_view text);

// RFC 4648 section 4, with padding.
std::string to_base64(std::string_view bytes);
// Strict: only the alphabet, correct padding (absent padding is taken where `padding` says so), no white space, and
// unused bits zero.
enum class Padding { required, optional };
std::optional<std::string> from_base64(std::string_view text, Padding padding = Padding::required);

// RFC 3986 section 2.1: everything but unreserved characters becomes %XX.
std::string percent_encode(std::string_view text);
// nullopt on a broken escape.
std::optional<std::string> percent_decode(std::string_view text);

bool is_valid_utf8(std::string_view text);  // no surrogates, no overlong forms, at most U+10FFFF

// Printable ASCII, so that bytes from outside can be shown on a terminal: others become \xNN.
std::string printable(std::string_view text, std::size_t length_max);

// Equal in a time that depends only on the lengths.
bool constant_time_equal(std::string_view a, std::string_view b);

}  // namespace semel
