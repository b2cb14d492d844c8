// framing.cc: body lengths.
#include "http/framing.h"

#include <algorithm>

namespace semel::http {
namespace {

constexpr std::size_t kLengthDigitsMax = 15;

std::optional<std::uint64_t> parse_length(std::string_view text) {
  if (text.empty() || text.size() > kLengthDigitsMax) return std::nullopt;
  std::uint64_t length = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    length = length * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return length;
}

}  // namespace

std::optional<Framing> framing_of(HttpVersion version, std::span<const Field> fields, Framing unnamed) {
  const std::size_t lengths = count_of(fields, "content-length");
  const std::size_t codings = count_of(fields, "transfer-encoding");
  if (lengths + codings == 0) return unnamed;
  if (lengths + codings > 1) return std::nullopt;
  if (lengths == 1) {
    const std::optional<std::uint64_t> length = parse_length(*only_value(fields, "content-length"));
    if (!length) return std::nullopt;
    return Length{*length};
  }
  const bool chunked = equal_ignoring_case(*only_value(fields, "transfer-encoding"), "chunked");
  if (!chunked || version == HttpVersion::http10) return std::nullopt;
  return Chunked{};
}

}  // namespace semel::http
