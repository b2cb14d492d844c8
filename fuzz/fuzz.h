// fuzz.h: the fuzz targets, and what they share.
//
// A target takes any bytes and states with SEMEL_CHECK what must hold of the parser it feeds with them. Each is built
// twice: with libFuzzer by `./dev fuzz`, and into corpus_test.cc, which replays corpus/ in every `./dev test`.
// Everything a target draws comes from its bytes, so an input that failed fails again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/random.h"

namespace semel::fuzz {

void address(std::string_view bytes);
void arrival(std::string_view bytes);
void authorization(std::string_view bytes);
void canonical_number(std::string_view bytes);
void config(std::string_view bytes);
void endpoint_config(std::string_view bytes);
void event(std::string_view bytes);
void event_type(std::string_view bytes);
void fingerprint(std::string_view bytes);
void http_request(std::string_view bytes);
void http_response(std::string_view bytes);
void idempotency_key(std::string_view bytes);
void json(std::string_view bytes);
void query(std::string_view bytes);
void retry_after(std::string_view bytes);
void retry_policy(std::string_view bytes);
void signature(std::string_view bytes);
void signing_secret(std::string_view bytes);
void text_forms(std::string_view bytes);
void time(std::string_view bytes);
void url(std::string_view bytes);

// Has a known fault, for showing that a run finds faults.
void canary(std::string_view bytes);

struct Target {
  std::string_view name;
  void (*check)(std::string_view bytes);
};

// Without the canary. CMakeLists.txt has the same list.
inline constexpr Target kTargets[] = {
    {"address", address},
    {"arrival", arrival},
    {"authorization", authorization},
    {"canonical_number", canonical_number},
    {"config", config},
    {"endpoint_config", endpoint_config},
    {"event", event},
    {"event_type", event_type},
    {"fingerprint", fingerprint},
    {"http_request", http_request},
    {"http_response", http_response},
    {"idempotency_key", idempotency_key},
    {"json", json},
    {"query", query},
    {"retry_after", retry_after},
    {"retry_policy", retry_policy},
    {"signature", signature},
    {"signing_secret", signing_secret},
    {"text_forms", text_forms},
    {"time", time},
    {"url", url},
};

// The next line of `rest`, without its end; what is behind the last one is empty. Inputs of several parts are lines.
inline std::string_view take_line(std::string_view& rest) {
  const std::string_view line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  return line;
}

// FNV-1a.
inline SeededRandom chance_of(std::string_view bytes) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return SeededRandom(hash);
}

// Whether a text may stand in an answer or a log line as it is.
inline bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
}

}  // namespace semel::fuzz
