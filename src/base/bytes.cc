// bytes.cc: hexadecimal, base64, percent escapes, UTF-8.
#include "base/bytes.h"

#include <simdjson.h>

#include <algorithm>
#include <array>

namespace semel {
namespace {

constexpr std::string_view kLowerDigits = "0123456789abcdef";
constexpr std::string_view kUpperDigits = "0123456789ABCDEF";
constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 0xFF;

std::uint8_t octet(char c) { return static_cast<std::uint8_t>(c); }

std::uint8_t hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<std::uint8_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::uint8_t>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<std::uint8_t>(c - 'A' + 10);
  return kNoDigit;
}

// The byte that two hexadecimal digits name.
std::optional<char> hex_byte(char high, char low) {
  const std::uint8_t h = hex_digit(high);
  const std::uint8_t l = hex_digit(low);
  if (h == kNoDigit || l == kNoDigit) return std::nullopt;
  return static_cast<char>(h << 4 | l);
}

constexpr std::array<std::uint8_t, 256> kBase64Digits = [] {
  std::array<std::uint8_t, 256> digits;
  digits.fill(kNoDigit);
  for (std::size_t i = 0; i < kBase64.size(); ++i)
    digits[static_cast<std::uint8_t>(kBase64[i])] = static_cast<std::uint8_t>(i);
  return digits;
}();

bool is_unreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

// The text without its padding; nullopt when the padding is not what the length asks for.
std::optional<std::string_view> without_padding(std::string_view text, Padding padding) {
  const std::size_t digits = std::min(text.find('='), text.size());
  const std::size_t padded = text.size() - digits;
  const std::size_t needed = (4 - digits % 4) % 4;
  if (needed == 3) return std::nullopt;
  if (padded != needed && !(padded == 0 && padding == Padding::optional)) return std::nullopt;
  if (text.substr(digits).find_first_not_of('=') != std::string_view::npos) return std::nullopt;
  return text.substr(0, digits);
}

}  // namespace

std::string to_hex(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    text += kLowerDigits[octet(c) >> 4];
    text += kLowerDigits[octet(c) & 0x0F];
  }
  return text;
}

std::optional<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const std::optional<char> byte = hex_byte(text[i], text[i + 1]);
    if (!byte) return std::nullopt;
    bytes += *byte;
  }
  return bytes;
}

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < n ? octet(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += k <= n ? kBase64[group >> (18 - 6 * k) & 0x3F] : '=';
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text, Padding padding) {
  const std::optional<std::string_view> digits = without_padding(text, padding);
  if (!digits) return std::nullopt;
  std::string bytes;
  bytes.reserve(digits->size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  int bit_count = 0;
  for (const char c : *digits) {
    const std::uint8_t digit = kBase64Digits[octet(c)];
    if (digit == kNoDigit) return std::nullopt;
    bits = (bits << 6 | digit) & 0x3FFF;
    bit_count += 6;
    if (bit_count < 8) continue;
    bit_count -= 8;
    bytes += static_cast<char>(bits >> bit_count);
  }
  const std::uint32_t unused = bits & ((1u << bit_count) - 1);
  if (unused != 0) return std::nullopt;
  return bytes;
}

std::string percent_encode(std::string_view text) {
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c)) {
      encoded += c;
      continue;
    }
    encoded += '%';
    encoded += kUpperDigits[octet(c) >> 4];
    encoded += kUpperDigits[octet(c) & 0x0F];
  }
  return encoded;
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    const std::optional<char> byte = hex_byte(text[i + 1], text[i + 2]);
    if (!byte) return std::nullopt;
    decoded += *byte;
    i += 2;
  }
  return decoded;
}

bool is_valid_utf8(std::string_view text) { return simdjson::validate_utf8(text); }

std::string printable(std::string_view text, std::size_t length_max) {
  std::string shown;
  for (const char c : text) {
    const bool plain = c >= 0x20 && c < 0x7F;
    if (shown.size() + (plain ? 1 : 4) > length_max) break;
    if (plain) {
      shown += c;
    } else {
      shown += "\\x";
      shown += kLowerDigits[octet(c) >> 4];
      shown += kLowerDigits[octet(c) & 0x0F];
    }
  }
  return shown;
}

bool constant_time_equal(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  volatile std::uint8_t difference = 0;  // volatile: the compiler may not leave the loop early
  for (std::size_t i = 0; i < a.size(); ++i)
    difference = static_cast<std::uint8_t>(difference | (octet(a[i]) ^ octet(b[i])));
  return difference == 0;
}

}  // namespace semel
