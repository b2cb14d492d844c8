// terminal_test.cc: tables and indented JSON.
#include "cli/terminal.h"

#include <gtest/gtest.h>

namespace semel::cli {
namespace {

TEST(Table, aligns_columns_and_shows_what_is_absent) {
  const std::string json = R"([{"id":"a","n":1,"types":["x","y"]},{"id":"long-id","flag":true,"o":{"k":1}}])";
  const Result<JsonDocument> document = parse_json(json);
  ASSERT_TRUE(document);
  EXPECT_EQ(table(document->root(), {{"ID", "id"}, {"N", "n"}, {"TYPES", "types"}, {"FLAG", "flag"}, {"O", "o"}}),
            "ID       N  TYPES  FLAG  O\n"
            "a        1  x,y    -     -\n"
            "long-id  -  -      true  {\"k\":1}\n");
}

TEST(Table, lets_nothing_through_that_moves_a_terminal) {
  const std::string json = R"([{"id":"a\u001b[2Jb\n"}])";
  const Result<JsonDocument> document = parse_json(json);
  ASSERT_TRUE(document);
  EXPECT_EQ(table(document->root(), {{"ID", "id"}}), "ID\na\\x1b[2Jb\\x0a\n");
}

TEST(Indented, shows_one_member_a_line) {
  const std::string json = R"({"a":{"b":[1,"x\"y"],"c":[]},"d":null})";
  const Result<JsonDocument> document = parse_json(json);
  ASSERT_TRUE(document);
  EXPECT_EQ(indented(document->root()),
            "{\n  \"a\": {\n    \"b\": [\n      1,\n      \"x\\\"y\"\n    ],\n    \"c\": []\n  },\n  \"d\": null\n}\n");
}

}  // namespace
}  // namespace semel::cli
