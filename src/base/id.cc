// id.cc: making and reading ids.
#include "base/id.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace semel {
namespace {

constexpr std::size_t kIdLengthMax = 64;

bool is_id_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

}  // namespace

bool is_valid_id(std::string_view text) {
  return !text.empty() && text.size() <= kIdLengthMax && std::ranges::all_of(text, is_id_character);
}

std::string format_delivery_id(const DeliveryId& id) { return id.event.text + "." + id.endpoint.text; }

Result<DeliveryId> parse_delivery_id(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos || !is_valid_id(text.substr(0, dot)) || !is_valid_id(text.substr(dot + 1)))
    return fail(Fault::invalid, "a delivery id is EVENT_ID.ENDPOINT_ID");
  return DeliveryId{{std::string(text.substr(0, dot))}, {std::string(text.substr(dot + 1))}};
}

std::string make_id(std::string_view prefix, WallTime now, Random& random) {
  std::array<std::uint8_t, 16> bytes;
  random.fill(bytes);
  auto ms = static_cast<std::uint64_t>(now.ms);
  for (int i = 5; i >= 0; --i) {
    bytes[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(ms);
    ms >>= 8;
  }
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0F) | 0x70);  // version 7
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3F) | 0x80);  // variant 10
  constexpr char kDigits[] = "0123456789abcdef";
  std::string id(prefix);
  id.reserve(prefix.size() + 32);
  for (const std::uint8_t byte : bytes) {
    id += kDigits[byte >> 4];
    id += kDigits[byte & 0x0F];
  }
  return id;
}

}  // namespace semel
