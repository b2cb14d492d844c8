// json_scan.h: skips the bytes of a JSON string that mean themselves, eight at a time.
#pragma once

#include <cstdint>
#include <cstring>

namespace semel {

inline bool is_special_in_json_string(char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; }

// The first quote, backslash or control character of [at, end), else end.
inline const char* find_special_in_json_string(const char* at, const char* end) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ull;
  constexpr std::uint64_t kHighs = 0x8080808080808080ull;
  for (; end - at >= 8; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    const std::uint64_t quote = word ^ (kOnes * '"');
    const std::uint64_t slash = word ^ (kOnes * '\\');
    // A high bit remains for a byte that is zero (in quote, slash) or below 0x20 (in word), and perhaps for bytes
    // above such a one; none remains when there is none.
    if ((((quote - kOnes) & ~quote) | ((slash - kOnes) & ~slash) | ((word - kOnes * 0x20) & ~word)) & kHighs) break;
  }
  while (at != end && !is_special_in_json_string(*at)) ++at;
  return at;
}

}  // namespace semel
