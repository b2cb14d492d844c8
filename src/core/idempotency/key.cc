// key.cc: reading the Idempotency-Key header.
#include "core/idempotency/key.h"

#include <openssl/sha.h>

#include <algorithm>

#include "base/bytes.h"

namespace semel::idempotency {
namespace {

constexpr std::size_t kKeyLengthMax = 255;
constexpr std::size_t kFieldLengthMax = 2 * kKeyLengthMax + 2;  // quoted, with every character escaped
constexpr std::string_view kNilUuid = "00000000-0000-0000-0000-000000000000";

std::unexpected<Error> refuse(std::string note) { return fail(Fault::invalid, std::move(note)); }

std::string_view trim(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool is_printable_ascii(char c) { return c >= 0x20 && c <= 0x7E; }

bool is_token_character(char c) { return c > 0x20 && c <= 0x7E && c != '"' && c != ',' && c != ';'; }

// RFC 9651 section 4.2.5, and nothing behind the closing quote.
Result<std::string> read_quoted(std::string_view text) {
  std::string key;
  for (std::size_t i = 1; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"') {
      if (i + 1 != text.size()) return refuse("nothing may follow the closing quote of the key");
      return key;
    }
    if (c == '\\') {
      if (++i == text.size()) break;
      c = text[i];
      if (c != '"' && c != '\\') return refuse("in a quoted key only \\\" and \\\\ are escapes");
    }
    if (!is_printable_ascii(c)) return refuse("a quoted key is of printable ASCII characters");
    key += c;
  }
  return refuse("the closing quote of the key is missing");
}

Result<std::string> read_bare(std::string_view text) {
  if (!std::ranges::all_of(text, is_token_character))
    return refuse("a key without quotes is of visible ASCII characters other than quote, comma and semicolon");
  return std::string(text);
}

}  // namespace

Result<IdempotencyKey> parse_key(const std::vector<std::string_view>& values) {
  if (values.size() != 1) return refuse("exactly one Idempotency-Key is expected");
  const std::string_view field = trim(values[0]);
  if (field.size() > kFieldLengthMax) return refuse("a key is 1 to 255 bytes");
  SEMEL_TRY(text, field.starts_with('"') ? read_quoted(field) : read_bare(field));
  if (text.empty() || text.size() > kKeyLengthMax) return refuse("a key is 1 to 255 bytes");
  if (text == kNilUuid) return refuse("the nil UUID is not a key");
  return IdempotencyKey{std::move(text)};
}

KeyHash hash_key(const IdempotencyKey& key) {
  KeyHash hash;
  const std::span<const std::uint8_t> bytes = as_bytes(key.text);
  SHA256(bytes.data(), bytes.size(), hash.data());
  return hash;
}

}  // namespace semel::idempotency
