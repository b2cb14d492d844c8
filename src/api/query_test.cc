// query_test.cc: reading query strings.
#include "api/query.h"

#include <gtest/gtest.h>

namespace semel::api {
namespace {

constexpr std::string_view kKnown[] = {"type", "limit"};

TEST(Query, decodes_names_and_values) {
  const Answered<Query> query = Query::parse("type=a%2Eb+c&limit=7", kKnown);
  ASSERT_TRUE(query);
  EXPECT_EQ(query->find("type"), "a.b c");
  EXPECT_EQ(query->limit(), 7u);
  EXPECT_EQ(query->find("other"), std::nullopt);
}

TEST(Query, without_a_limit_uses_fifty) { EXPECT_EQ(Query::parse("", kKnown)->limit(), 50u); }

TEST(Query, refuses_what_it_does_not_know_or_cannot_read) {
  const struct {
    std::string_view text, code;
  } rows[] = {
      {"typ=a", "QUERY_UNKNOWN"},   {"=a", "QUERY_UNKNOWN"},       {"type=a&type=a", "QUERY_INVALID"},
      {"type=%f", "QUERY_INVALID"}, {"type=%FF", "QUERY_INVALID"}, {"%zz=1", "QUERY_INVALID"},
  };
  for (const auto& row : rows) {
    const Answered<Query> query = Query::parse(row.text, kKnown);
    ASSERT_FALSE(query) << row.text;
    EXPECT_EQ(query.error().kind->code, row.code) << row.text;
  }
}

TEST(Query, takes_limits_from_1_to_500_only) {
  for (const std::string_view text :
       {"limit=0", "limit=501", "limit=-1", "limit=1x", "limit=", "limit=99999999999999999999"}) {
    const Answered<std::size_t> limit = Query::parse(text, kKnown)->limit();
    ASSERT_FALSE(limit) << text;
    EXPECT_EQ(limit.error().kind->code, "QUERY_INVALID") << text;
  }
  EXPECT_EQ(Query::parse("limit=500", kKnown)->limit(), 500u);
}

}  // namespace
}  // namespace semel::api
