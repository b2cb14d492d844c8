// fingerprint_test.cc: which requests say the same, by RFC 8785 examples, exact decimals and permuted documents.
#include "core/idempotency/fingerprint.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>

#include "base/bytes.h"

namespace semel::idempotency {
namespace {

using namespace std::string_literals;

constexpr FingerprintKey kKey = {1, 2, 3};

std::string canonical(std::string_view json, const std::vector<std::string_view>& leave_out = {}) {
  const auto document = parse_json(json);
  return document ? canonical_json(document->root(), leave_out) : "not JSON: " + document.error().note;
}

std::string event_fingerprint(std::string_view json, const FingerprintKey& key = kKey) {
  const JsonDocument document = *parse_json(json);
  return to_hex(as_text(fingerprint_event(key, document.root())));
}

//= RFC 8785 3.2.3, the example document of 3.2.2
TEST(CanonicalJson, the_example_of_the_specification) {
  EXPECT_EQ(canonical(R"({
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  })"),
            "{\"literals\":[null,true,false],"
            "\"numbers\":[333333333.33333329,1e+30,4.5,0.002,1e-27],"  // the first one is not rounded to a double
            "\"string\":\"\xe2\x82\xac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
}

// Field fault B101: sorting by UTF-8 bytes or code points instead of UTF-16 code units.
//= RFC 8785 3.2.3: U+1F600 (D83D DE00) sorts before U+FB33
TEST(CanonicalJson, members_are_sorted_by_utf16_code_units) {
  EXPECT_EQ(canonical(R"({"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh",
                          "1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control",
                          "\u00f6":"Latin Small Letter O With Diaeresis"})"),
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\xc2\x80\":\"Control\","
            "\"\xc3\xb6\":\"Latin Small Letter O With Diaeresis\",\"\xe2\x82\xac\":\"Euro Sign\","
            "\"\xf0\x9f\x98\x80\":\"Emoji: Grinning Face\",\"\xef\xac\xb3\":\"Hebrew Letter Dalet With Dagesh\"}");
  EXPECT_EQ(canonical(R"({"\uffff":1,"\ud7ff":2,"\udbff\udfff":3,"\ue000":4,"\ud800\udc00":5,"aa":6,"a":7,"":8})"),
            "{\"\":8,\"a\":7,\"aa\":6,\"\xed\x9f\xbf\":2,\"\xf0\x90\x80\x80\":5,\"\xf4\x8f\xbf\xbf\":3,"
            "\"\xee\x80\x80\":4,\"\xef\xbf\xbf\":1}");
}

TEST(CanonicalJson, white_space_and_the_spelling_of_escapes_do_not_count) {
  EXPECT_EQ(canonical(" { \"\\u0061\" : [ 1 , \"\\/\\u0009\" ] } "), "{\"a\":[1,\"/\\t\"]}");
  EXPECT_EQ(canonical(R"("\u0008\u0009\u000a\u000c\u000d\u0022\u005c\u001F\u007f\u0000")"),
            "\"\\b\\t\\n\\f\\r\\\"\\\\\\u001f\x7f\\u0000\"");
}

// Field fault B102: folding NFC and NFD together.
TEST(CanonicalJson, unicode_is_not_normalised) {
  EXPECT_NE(canonical("\"caf\xc3\xa9\""), canonical("\"cafe\xcc\x81\""));
  EXPECT_EQ(canonical("\"cafe\xcc\x81\""), "\"cafe\xcc\x81\"");
}

TEST(CanonicalJson, only_top_level_members_are_left_out) {
  EXPECT_EQ(canonical(R"({"id":"a","data":{"id":1}})", {"id"}), R"({"data":{"id":1}})");
  EXPECT_EQ(canonical(R"({"data":[{"id":1}],"\u0069d":2})", {"id"}), R"({"data":[{"id":1}]})");
  EXPECT_EQ(canonical(R"({"id":"a"})", {"id"}), "{}");
}

//= RFC 8785 appendix B
TEST(CanonicalNumber, the_samples_of_the_specification_stay_as_they_are) {
  for (const char* text : {"0",
                           "5e-324",
                           "-5e-324",
                           "1.7976931348623157e+308",
                           "-1.7976931348623157e+308",
                           "9007199254740992",
                           "-9007199254740992",
                           "295147905179352830000",
                           "9.999999999999997e+22",
                           "1e+23",
                           "1.0000000000000001e+23",
                           "999999999999999700000",
                           "999999999999999900000",
                           "1e+21",
                           "9.999999999999997e-7",
                           "0.000001",
                           "333333333.3333332",
                           "333333333.33333325",
                           "333333333.3333333",
                           "333333333.3333334",
                           "333333333.33333343",
                           "-0.0000033333333333333333",
                           "1424953923781206.2"})
    EXPECT_EQ(canonical_number(text), text);
}

// Field faults B99 and B103: number edges; integers above 2^53 that collapse into one.
TEST(CanonicalNumber, is_the_exact_decimal_value) {
  const struct {
    std::string literal, text;
  } rows[] = {
      {"-0", "0"},
      {"0.0", "0"},
      {"-0.000e99999999999999999999", "0"},
      {"1.0", "1"},
      {"1e0", "1"},
      {"1E+0", "1"},
      {"0.1e1", "1"},
      {"10e-1", "1"},
      {"100e-0002", "1"},
      {"-1.50", "-1.5"},
      {"4.50", "4.5"},
      {"2e-3", "0.002"},
      {"0.00000123", "0.00000123"},
      {"0.0000001", "1e-7"},
      {"123e-9", "1.23e-7"},
      {"1e20", "100000000000000000000"},
      {"1e21", "1e+21"},
      {"100000000000000000000", "100000000000000000000"},
      {"1000000000000000000000", "1e+21"},
      {"123456789012345678901", "123456789012345678901"},
      {"1234567890123456789012", "1.234567890123456789012e+21"},
      {"9007199254740991", "9007199254740991"},
      {"9007199254740992", "9007199254740992"},
      {"9007199254740993", "9007199254740993"},
      {"9007199254740993.0", "9007199254740993"},
      {"900719925474099.3e1", "9007199254740993"},
      {"0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"},
      {"1e400", "1e+400"},
      {"-1e400", "-1e+400"},
      {"10e399", "1e+400"},
      {"1e-400", "1e-400"},
      {"0.01e-398", "1e-400"},
      // exponents that fit no machine integer
      {"1e99999999999999999", "1e+99999999999999999"},
      {"10e99999999999999999", "1e+100000000000000000"},
      {"1e100000000000000000", "1e+100000000000000000"},
      {"10e99999999999999999999999", "1e+100000000000000000000000"},
      {"0.01e100000000000000000000001", "1e+99999999999999999999999"},
      {"1e000100000000000000000000000", "1e+100000000000000000000000"},
      {"0.1e-99999999999999999999999", "1e-100000000000000000000000"},
      {"100e-100000000000000000000000", "1e-99999999999999999999998"},
      {"12.5e-100000000000000000000000", "1.25e-99999999999999999999999"},
  };
  for (const auto& row : rows) EXPECT_EQ(canonical_number(row.literal), row.text) << row.literal;
}

TEST(CanonicalNumber, long_literals_keep_every_digit) {
  EXPECT_EQ(canonical_number("1" + std::string(999, '0')), "1e+999");
  EXPECT_EQ(canonical_number("0." + std::string(900, '0') + "1"), "1e-901");
  EXPECT_EQ(canonical_number(std::string(1000, '7')), "7." + std::string(999, '7') + "e+999");
}

RC_GTEST_PROP(CanonicalNumber, the_same_value_spelled_otherwise_is_the_same_text, (std::int64_t number)) {
  const auto zeros = static_cast<std::size_t>(*rc::gen::inRange(0, 30));
  const std::string plain = std::to_string(number);
  const std::string padded = plain + std::string(zeros, '0') + ".00e-" + std::to_string(zeros);
  RC_ASSERT(canonical_number(padded) == canonical_number(plain));
}

RC_GTEST_PROP(CanonicalNumber, of_the_shortest_digits_of_a_double_is_what_ecmascript_prints, ()) {
  // Between 1e-6 and 1e21 ECMAScript prints no exponent, which std::to_chars does on request.
  const double number = *rc::gen::positive<int>() * std::pow(10.0, *rc::gen::inRange(-5, 10));
  char fixed[64];
  char scientific[64];
  const auto fixed_end = std::to_chars(fixed, fixed + sizeof fixed, number, std::chars_format::fixed).ptr;
  const auto scientific_end =
      std::to_chars(scientific, scientific + sizeof scientific, number, std::chars_format::scientific).ptr;
  RC_ASSERT(canonical_number({scientific, scientific_end}) == std::string(fixed, fixed_end));
}

// A random JSON value as text, spelled in one of many ways: `shape` decides what it says, `spelling` how.
class Speller {
 public:
  Speller(std::uint64_t shape, std::uint64_t spelling) : shape_(shape), spelling_(spelling) {}

  std::string value(int depth) {
    switch (shape_() % (depth > 0 ? 6 : 4)) {
      case 0:
        return "null";
      case 1:
        return number();
      case 2:
        return string(static_cast<int>(shape_() % 5));
      case 3:
        return shape_() % 2 ? "true" : "false";
      case 4:
        return array(depth);
      default:
        return object(depth);
    }
  }

  std::string object(int depth) {
    std::vector<std::string> members;
    const int count = static_cast<int>(shape_() % 6);
    for (int i = 0; i < count; ++i) members.push_back(string(i) + space() + ":" + space() + value(depth - 1));
    std::ranges::shuffle(members, spelling_);
    return "{" + joined(members) + "}";
  }

 private:
  std::string array(int depth) {
    std::vector<std::string> elements;
    const int count = static_cast<int>(shape_() % 4);
    for (int i = 0; i < count; ++i) elements.push_back(value(depth - 1));
    return "[" + joined(elements) + "]";
  }
  std::string joined(const std::vector<std::string>& parts) {
    std::string text = space();
    for (std::size_t i = 0; i < parts.size(); ++i) text += (i ? "," + space() : "") + parts[i] + space();
    return text;
  }
  std::string number() {
    const std::string digits = std::to_string(shape_() % 100'000);
    switch (spelling_() % 3) {
      case 0:
        return digits;
      case 1:
        return digits + ".0";
      default:
        return digits + "00e-2";
    }
  }
  std::string string(int index) {
    constexpr const char* kSpellings[5][2] = {{"\"a\"", "\"\\u0061\""},
                                              {"\"\xef\xac\xb3\"", "\"\\uFB33\""},
                                              {"\"\xf0\x9f\x98\x80\"", "\"\\ud83d\\ude00\""},
                                              {"\"/\\n\"", "\"\\/\\u000a\""},
                                              {"\"\"", "\"\""}};
    return kSpellings[index % 5][spelling_() % 2];
  }
  std::string space() { return spelling_() % 3 ? "" : " \n"; }

  std::mt19937_64 shape_;
  std::mt19937_64 spelling_;
};

// Field fault B05: the order of members changed the hash, so a duplicate was executed.
RC_GTEST_PROP(FingerprintEvent, does_not_depend_on_member_order_white_space_or_spelling,
              (std::uint64_t shape, std::uint64_t one, std::uint64_t other)) {
  const std::string a = Speller(shape, one).object(4);
  const std::string b = Speller(shape, other).object(4);
  RC_ASSERT(canonical(a) == canonical(b));
  RC_ASSERT(event_fingerprint(a) == event_fingerprint(b));
  RC_ASSERT(canonical(canonical(a)) == canonical(a));
}

RC_GTEST_PROP(FingerprintEvent, differs_where_the_canonical_texts_differ, (std::uint64_t one, std::uint64_t other)) {
  const std::string a = Speller(one, 0).object(3);
  const std::string b = Speller(other, 0).object(3);
  RC_ASSERT((canonical(a) == canonical(b)) == (event_fingerprint(a) == event_fingerprint(b)));
}

TEST(FingerprintEvent, distinguishes_what_a_double_would_merge) {
  EXPECT_NE(event_fingerprint(R"({"data":{"amount":9007199254740993}})"),
            event_fingerprint(R"({"data":{"amount":9007199254740992}})"));
  EXPECT_NE(event_fingerprint(R"({"data":1e400})"), event_fingerprint(R"({"data":1e401})"));
  EXPECT_NE(event_fingerprint(R"({"data":1})"), event_fingerprint(R"({"data":"1"})"));
  EXPECT_NE(event_fingerprint(R"({"data":[1,2]})"), event_fingerprint(R"({"data":[2,1]})"));
}

TEST(FingerprintEvent, leaves_the_id_out_and_depends_on_the_key) {
  EXPECT_EQ(event_fingerprint(R"({"id":"a","type":"t","data":1})"), event_fingerprint(R"({"type":"t","data":1})"));
  EXPECT_NE(event_fingerprint(R"({"type":"t","data":{"id":1}})"), event_fingerprint(R"({"type":"t","data":{"id":2}})"));
  EXPECT_NE(event_fingerprint("{}", {1}), event_fingerprint("{}", {2}));
}

// Field fault B06: the fingerprint is taken from the received bytes, so nothing done to the event afterwards moves it.
// The literals are HMAC-SHA-256 over the length-prefixed lines, computed apart from this code: a change of algorithm
// would make stored fingerprints refuse honest retries.
TEST(Fingerprint, is_fixed_for_ever) {
  EXPECT_EQ(event_fingerprint(R"({"type":"shipment.created","id":"x","data":{"n":1.0,"a":"\u00e9"}})"),
            "9f0d4c7d5beddd24fdf36d5cb1983b11a82fb41ae3f1065ee0cb716c83ea9b9b");
  const Fingerprint zeros{};
  Fingerprint ones;
  ones.fill(1);
  EXPECT_EQ(to_hex(as_text(fingerprint_batch(kKey, {zeros, ones}))),
            "26e8771444e4c3cf6f35bf329411bfc66cc83bdcd7a4ff15afefbf30392c8b1a");
}

TEST(FingerprintBatch, is_the_list_of_its_items_in_order) {
  const Fingerprint a{1};
  const Fingerprint b{2};
  EXPECT_EQ(fingerprint_batch(kKey, {a, b}), fingerprint_batch(kKey, {a, b}));
  EXPECT_NE(fingerprint_batch(kKey, {a, b}), fingerprint_batch(kKey, {b, a}));
  EXPECT_NE(fingerprint_batch(kKey, {a}), fingerprint_batch(kKey, {a, a}));
  EXPECT_NE(fingerprint_batch(kKey, {}), fingerprint_batch({9}, {}));
}

}  // namespace
}  // namespace semel::idempotency
