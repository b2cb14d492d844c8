// json_test.cc: what parse_json takes and refuses, what its values say, what JsonWriter writes.
#include "base/json.h"

#include <gtest/gtest.h>

#include <string>

namespace semel {
namespace {

using namespace std::string_literals;

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') + std::string(static_cast<std::size_t>(depth), ']');
}

std::string members(int count, const std::string& last) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += "\"m" + std::to_string(i) + "\":0,";
  return text + "\"" + last + "\":0}";
}

TEST(ParseJson, takes_every_form_of_the_grammar) {
  const std::string texts[] = {
      "null",
      "true",
      "false",
      "0",
      "-0",
      "-1.5e+3",
      "1E400",
      "12345678901234567890123",
      "\"\"",
      "\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
      "\"\\u0000\"",
      "\"\\uD83D\\ude00\"",
      "\"\x7f\"",
      "\"\xF4\x8F\xBF\xBF\"",
      "[]",
      "{}",
      " \t\r\n[ 1 , [ ] , { \"a\" : { } } ] \n",
      "{\"a\":1,\"A\":2,\"\":3}",
      "\"\xEF\xBB\xBF\"",
      nested(64),
      std::string(1000, '7'),
      members(40, "m40"),
  };
  for (const std::string& text : texts) EXPECT_TRUE(parse_json(text)) << text;
}

TEST(ParseJson, refuses_what_is_not_strict_json) {
  const std::string texts[] = {
      "",
      " ",
      "\xEF\xBB\xBF{}",
      "{} {}",
      "nul",
      "nullx",
      "True",
      "'a'",
      "NaN",
      "Infinity",
      "/* */1",
      // numbers
      "01",
      "-01",
      "-",
      "+1",
      ".5",
      "1.",
      "1.e1",
      "1e",
      "1e+",
      "0x10",
      "1_000",
      "1 2",
      std::string(1001, '7'),
      // arrays and objects
      "[",
      "[1",
      "[1,",
      "[1,]",
      "[,1]",
      "[1 2]",
      "[1}",
      "]",
      "{",
      "{\"a\"",
      "{\"a\":",
      "{\"a\":1",
      "{\"a\":1,",
      "{\"a\":1,}",
      "{,}",
      "{a:1}",
      "{\"a\" 1}",
      "{\"a\":1]",
      "{1:1}",
      nested(65),
      std::string(100'000, '['),
      // strings
      "\"",
      "\"a",
      "\"a\\",
      "\"\\x41\"",
      "\"\\u12\"",
      "\"\\u12",
      "\"\\u12G4\"",
      "\"\\u+123\"",
      "\"\\u-123\"",
      "\"a\nb\"",
      "\"a\tb\"",
      "\"a\0b\""s,
      "\"\x1f\"",
      // surrogates, in values and in names
      "\"\\ud800\"",
      "\"\\udc00\"",
      "\"\\ud800\\ud800\"",
      "\"\\ud83d\\n\"",
      "\"\\ud83dx\"",
      "\"\\ude00\\ud83d\"",
      "{\"\\ud800\":1}",
      "{\"a\\udfff\":1}",
      // UTF-8
      "\"\xff\"",
      "\"\xc0\xaf\"",
      "\"\xed\xa0\x80\"",
      "\"\xf4\x90\x80\x80\"",
      "\"\xe2\x82\"",
      // a name twice, also when it is spelled differently, also far apart, also deeper down
      "{\"a\":1,\"a\":1}",
      "{\"a\":1,\"\\u0061\":2}",
      "{\"\":1,\"\":2}",
      "[{\"x\":{\"b\":1,\"c\":2,\"b\":3}}]",
      members(16, "m0"),
      members(40, "m7"),
      // white space that JSON does not know
      "\v1",
      "\xC2\xA0"
      "1",
      "1\0"s,
  };
  for (const std::string& text : texts) {
    const auto document = parse_json(text);
    ASSERT_FALSE(document) << text;
    EXPECT_EQ(document.error().fault, Fault::invalid) << text;
    EXPECT_FALSE(document.error().note.empty()) << text;
  }
}

TEST(ParseJson, a_prefix_of_a_document_is_never_a_document) {
  const std::string text = R"({"a":[1.5e-3,true,null,"x\u00e9\ud83d\ude00"],"b":{"c":""}})";
  ASSERT_TRUE(parse_json(text));
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_FALSE(parse_json(std::string_view(text).substr(0, length))) << length;
}

TEST(ParseJson, says_where_it_stopped_and_does_not_repeat_the_input) {
  EXPECT_EQ(parse_json(R"({"secret":secret})").error().note, "a JSON value is expected (byte 10)");
  EXPECT_EQ(parse_json("[1,").error().note, "the JSON text ends too early (byte 3)");
  EXPECT_EQ(parse_json(R"([{"secret":1,"secret":2}])").error().note,
            "a member name comes twice in one object (byte 1)");
}

TEST(ParseJson, limits_are_those_of_the_caller) {
  EXPECT_TRUE(parse_json(nested(67), {.depth_max = 67}));
  EXPECT_FALSE(parse_json(nested(68), {.depth_max = 67}));
  EXPECT_TRUE(parse_json("7", {.depth_max = 0}));
  EXPECT_FALSE(parse_json("[]", {.depth_max = 0}));
  EXPECT_TRUE(parse_json("-1e5", {.number_length_max = 4}));
  EXPECT_FALSE(parse_json("-1e55", {.number_length_max = 4}));
  EXPECT_FALSE(parse_json("\"a\\u0000\"", {.escaped_nul_allowed = false}));
  EXPECT_FALSE(parse_json("{\"\\u0000\":1}", {.escaped_nul_allowed = false}));
}

TEST(JsonValue, raw_points_into_the_callers_bytes_without_outer_white_space) {
  const std::string bytes = " { \"data\" :  { \"b\" : [ 1 ] }  , \"s\":\"x\\n\" } ";
  const JsonDocument document = *parse_json(bytes);
  const JsonValue data = *document.root().find("data");
  EXPECT_EQ(data.raw(), "{ \"b\" : [ 1 ] }");
  EXPECT_EQ(data.raw().data(), bytes.data() + 13);
  EXPECT_EQ(document.root().find("s")->raw(), "\"x\\n\"");
  EXPECT_EQ(document.root().raw().size(), bytes.size() - 2);
}

TEST(JsonValue, text_of_a_string_is_decoded) {
  const struct {
    std::string json, text;
  } rows[] = {
      {"\"\"", ""},
      {"\"plain, and longer than eight bytes\"", "plain, and longer than eight bytes"},
      {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
      {"\"a\\u0000b\"", "a\0b"s},
      {"\"\\u007f\\u0080\\u07ff\\u0800\\uffff\"", "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf"},
      {"\"\\ud800\\udc00\\uDBFF\\uDFFF\"", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"},
      {"\"caf\xc3\xa9 \\u00e9 e\xcc\x81\"", "caf\xc3\xa9 \xc3\xa9 e\xcc\x81"},
  };
  for (const auto& row : rows) EXPECT_EQ(parse_json(row.json)->root().text(), row.text) << row.json;
}

TEST(JsonValue, text_survives_a_move_of_the_document) {
  const std::string bytes = R"({"\u0061":"\u0062"})";
  JsonDocument first = *parse_json(bytes);
  const JsonDocument document = std::move(first);
  EXPECT_EQ(document.root().name(0), "a");
  EXPECT_EQ(document.root().at(0).text(), "b");
}

TEST(JsonValue, integer_is_exact_or_nothing) {
  const struct {
    std::string json;
    std::optional<std::int64_t> integer;
  } rows[] = {
      {"0", 0},
      {"-0", 0},
      {"-17", -17},
      {"9007199254740993", 9007199254740993},
      {"9223372036854775807", 9223372036854775807},
      {"9223372036854775808", std::nullopt},
      {"1.0", std::nullopt},
      {"1e2", std::nullopt},
      {"\"1\"", std::nullopt},
      {"true", std::nullopt},
  };
  for (const auto& row : rows) EXPECT_EQ(parse_json(row.json)->root().integer(), row.integer) << row.json;
}

TEST(JsonValue, members_and_elements_come_in_the_order_of_the_text) {
  const std::string bytes = R"({"z":[1,[2,3],4],"a":{"k":true},"m":false})";
  const JsonDocument document = *parse_json(bytes);
  const JsonValue root = document.root();
  ASSERT_EQ(root.size(), 3u);
  EXPECT_EQ(root.name(0), "z");
  EXPECT_EQ(root.name(1), "a");
  EXPECT_EQ(root.name(2), "m");
  ASSERT_EQ(root.at(0).size(), 3u);
  EXPECT_EQ(root.at(0).at(1).at(1).integer(), 3);
  EXPECT_EQ(root.at(0).at(2).integer(), 4);
  EXPECT_TRUE(root.find("a")->find("k")->boolean());
  EXPECT_FALSE(root.find("m")->boolean());
  EXPECT_FALSE(root.find("k"));
  EXPECT_FALSE(root.at(0).find("z"));
}

TEST(AppendJsonString, escapes_what_must_be_and_nothing_else) {
  std::string out = "x";
  append_json_string(out, "\"\\/\b\t\n\f\r\x01\x1f\x7f\0\xc3\xa9\xf0\x9f\x98\x80"s + "a tail of more than eight bytes");
  EXPECT_EQ(out,
            "x\"\\\"\\\\/\\b\\t\\n\\f\\r\\u0001\\u001f\x7f\\u0000\xc3\xa9\xf0\x9f\x98\x80"
            "a tail of more than eight bytes\"");
}

TEST(JsonWriter, writes_members_elements_and_numbers) {
  JsonWriter w;
  w.object().member("id", "a\"b").member("n", std::uint64_t{18446744073709551615u}).member("ok", true);
  w.member_if("none", std::optional<int>{}).member_if("some", std::optional<int>{-3});
  w.key("list").array().value("x").value(1).array().end().object().end().null().end();
  w.key("raw").raw("{\"x\": 1}").member("half", 0.5).member("large", 1e30).end();
  EXPECT_EQ(w.take(),
            "{\"id\":\"a\\\"b\",\"n\":18446744073709551615,\"ok\":true,\"some\":-3,"
            "\"list\":[\"x\",1,[],{},null],\"raw\":{\"x\": 1},\"half\":0.5,\"large\":1e+30}");
}

TEST(JsonWriterDeathTest, an_unfinished_text_is_never_taken) {
  EXPECT_DEATH(
      {
        JsonWriter w;
        w.object();
        w.take();
      },
      "broken invariant");
}

}  // namespace
}  // namespace semel
