// text_forms_fuzz.cc: hexadecimal, base64, percent escapes and ids: every value has one text, and the text its value.
#include <string>

#include "base/bytes.h"
#include "base/id.h"
#include "fuzz/fuzz.h"

namespace semel::fuzz {
namespace {

void check_written(std::string_view bytes) {
  SEMEL_CHECK(from_hex(to_hex(bytes)) == bytes);
  SEMEL_CHECK(from_base64(to_base64(bytes)) == bytes);
  SEMEL_CHECK(percent_decode(percent_encode(bytes)) == bytes);
  for (const std::size_t max : {0u, 5u, 64u}) {
    const std::string shown = printable(bytes, max);
    SEMEL_CHECK(shown.size() <= max);
    SEMEL_CHECK(is_plain(shown));
  }
}

void check_read(std::string_view text) {
  if (const auto bytes = from_hex(text)) SEMEL_CHECK(from_hex(to_hex(*bytes)) == bytes);
  if (const auto bytes = from_base64(text)) SEMEL_CHECK(to_base64(*bytes) == text);
  if (const auto bytes = from_base64(text, Padding::optional))
    SEMEL_CHECK(std::string_view(to_base64(*bytes)).starts_with(text));
  if (const auto bytes = percent_decode(text)) SEMEL_CHECK(percent_decode(percent_encode(*bytes)) == bytes);
  if (const auto id = parse_delivery_id(text)) {
    SEMEL_CHECK(is_valid_id(id->event.text) && is_valid_id(id->endpoint.text));
    SEMEL_CHECK(format_delivery_id(*id) == text);
  }
  if (is_valid_id(text)) SEMEL_CHECK(text.size() <= 64 && is_plain(text) && percent_encode(text) == text);
}

// RFC 3629, character by character.
bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text[0]);
    const std::size_t length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if ((first >= 0x80 && first < 0xC2) || first > 0xF4 || text.size() < length) return false;
    char32_t code_point = length == 1 ? first : first & (0x7Fu >> length);
    for (const char c : text.substr(1, length - 1)) {
      if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) return false;
      code_point = code_point << 6 | (static_cast<unsigned char>(c) & 0x3F);
    }
    constexpr char32_t kLowest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code_point < kLowest[length] || code_point > 0x10FFFF || (code_point >= 0xD800 && code_point <= 0xDFFF))
      return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace

void text_forms(std::string_view bytes) {
  check_written(bytes);
  check_read(bytes);
  SEMEL_CHECK(is_valid_utf8(bytes) == is_utf8(bytes));
}

}  // namespace semel::fuzz
