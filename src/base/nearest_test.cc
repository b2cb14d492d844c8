// nearest_test.cc: which known name a mistyped one is taken for.
#include "base/nearest.h"

#include <gtest/gtest.h>

namespace semel {
namespace {

constexpr std::string_view kKnown[] = {"type", "data", "ordering_key", "sequence", "sequence_start", "id"};

TEST(NearestName, is_the_known_name_with_the_fewest_edits) {
  const struct {
    std::string_view name;
    std::optional<std::string_view> nearest;
  } rows[] = {
      {"orderingKey", "ordering_key"},
      {"order_key", "ordering_key"},
      {"seqence", "sequence"},
      {"sequence-start", "sequence_start"},
      {"typ", "type"},
      {"dta", "data"},
      {"data", "data"},
      {"di", std::nullopt},
      {"payload", std::nullopt},
      {"", std::nullopt},
      {std::string_view("type\0", 5), "type"},
  };
  for (const auto& row : rows) EXPECT_EQ(nearest_name(row.name, kKnown), row.nearest) << row.name;
}

TEST(NearestName, the_first_of_equals_wins_and_long_names_have_none) {
  constexpr std::string_view kTwins[] = {"cat", "car"};
  EXPECT_EQ(nearest_name("cab", kTwins), "cat");
  const std::string long_name(65, 'a');
  const std::string_view known[] = {long_name};
  EXPECT_EQ(nearest_name(long_name, known), std::nullopt);
}

TEST(NearestName, the_hint_is_empty_when_there_is_none) {
  EXPECT_EQ(nearest_name_hint("typo", kKnown), " (did you mean type?)");
  EXPECT_EQ(nearest_name_hint("payload", kKnown), "");
}

}  // namespace
}  // namespace semel
