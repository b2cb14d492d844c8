// event_type_fuzz.cc: a pattern, and on the next line an event type: both as their grammar says, segment by segment.
#include <string>
#include <vector>

#include "core/routing/pattern.h"
#include "fuzz/fuzz.h"

namespace semel::fuzz {
namespace {

std::vector<std::string> segments_of(std::string_view text) {
  std::vector<std::string> segments(1);
  for (const char c : text) {
    if (c == '.') {
      segments.emplace_back();
    } else {
      segments.back() += c;
    }
  }
  return segments;
}

bool is_segment(const std::string& segment) {
  constexpr std::string_view kCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  return !segment.empty() && segment.find_first_not_of(kCharacters) == std::string::npos;
}

bool is_type(std::string_view text) {
  const std::vector<std::string> segments = segments_of(text);
  return text.size() <= 128 && segments.size() <= 8 && std::ranges::all_of(segments, is_segment);
}

// For a valid pattern and a valid type.
bool is_match(std::string_view pattern, std::string_view type) {
  std::vector<std::string> wanted = segments_of(pattern);
  const std::vector<std::string> given = segments_of(type);
  if (wanted.back() != "*") return wanted == given;
  wanted.pop_back();
  return given.size() > wanted.size() && std::equal(wanted.begin(), wanted.end(), given.begin());
}

void check_pattern(std::string_view pattern) {
  if (!routing::is_valid_pattern(pattern)) return;
  // The shortest type that it matches.
  const std::string type =
      pattern.ends_with('*') ? std::string(pattern.substr(0, pattern.size() - 1)) + "x" : std::string(pattern);
  SEMEL_CHECK(is_type(type));
  SEMEL_CHECK(routing::matches(pattern, type));
}

}  // namespace

void event_type(std::string_view bytes) {
  std::string_view rest = bytes;
  const std::string_view pattern = take_line(rest);
  const std::string_view type = rest;
  for (const std::string_view text : {pattern, type}) {
    SEMEL_CHECK(routing::is_valid_event_type(text) == is_type(text));
    SEMEL_CHECK(!is_type(text) || routing::is_valid_pattern(text));
    check_pattern(text);
  }
  if (!routing::is_valid_pattern(pattern) || !is_type(type)) return;
  SEMEL_CHECK(routing::matches(pattern, type) == is_match(pattern, type));
  const routing::RoutingTable table{.version = {1},
                                    .allowed_event_types = {"*"},
                                    .subscriptions = {{{2}, {std::string(pattern)}}, {{1}, {"*"}}, {{2}, {"*"}}}};
  SEMEL_CHECK((routing::route(table, type) == std::vector<EndpointKey>{{1}, {2}}));
}

}  // namespace semel::fuzz
