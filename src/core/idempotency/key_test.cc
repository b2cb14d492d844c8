// key_test.cc: which Idempotency-Key headers are taken, and as which key.
#include "core/idempotency/key.h"

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace semel::idempotency {
namespace {

using namespace std::string_literals;

TEST(ParseKey, takes_quoted_and_bare_keys_as_the_same) {
  const struct {
    std::string field, key;
  } rows[] = {
      {"abc", "abc"},
      {"\"abc\"", "abc"},
      {" \t\"abc\" ", "abc"},
      {" abc\t", "abc"},
      {"\"8e03978e-40d5-43e8-bc93-6894a57f9324\"", "8e03978e-40d5-43e8-bc93-6894a57f9324"},
      {"\"a b, c; d\"", "a b, c; d"},
      {R"("a\"b\\c")", R"(a"b\c)"},
      {R"(a\b)", R"(a\b)"},
      {"!#$%&'()*+-./:<=>?@[]^_`{|}~", "!#$%&'()*+-./:<=>?@[]^_`{|}~"},
      {std::string(255, 'k'), std::string(255, 'k')},
      {"\"" + std::string(255, 'k') + "\"", std::string(255, 'k')},
      {"\" \"", " "},
  };
  for (const auto& row : rows) {
    const auto key = parse_key({row.field});
    ASSERT_TRUE(key) << row.field << ": " << key.error().note;
    EXPECT_EQ(key->text, row.key) << row.field;
  }
}

TEST(ParseKey, refuses_what_could_only_be_ignored_otherwise) {
  for (const std::string& field : {
           ""s,
           " "s,
           "\"\""s,
           "\""s,
           "\"abc"s,
           "\"abc\\\""s,
           "\"abc\\"s,
           "abc\""s,
           "\"a\"b"s,
           "\"a\";x=1"s,
           "\"a\" "
           ";x=1"s,
           "\"a\", \"b\""s,
           "a;x=1"s,
           "a,b"s,
           "a b"s,
           "a\tb"s,
           "\"a\tb\""s,
           "\"a\\b\""s,
           "\"a\x7f\""s,
           "a\x7f"s,
           "caf\xc3\xa9"s,
           "\"caf\xc3\xa9\""s,
           "a\0b"s,
           "\"a\0b\""s,
           "a\nb"s,
           "00000000-0000-0000-0000-000000000000"s,
           "\"00000000-0000-0000-0000-000000000000\""s,
           std::string(256, 'k'),
           "\"" + std::string(256, 'k') + "\"",
           std::string(100'000, 'k'),
       }) {
    const auto key = parse_key({field});
    ASSERT_FALSE(key) << field;
    EXPECT_EQ(key.error().fault, Fault::invalid);
  }
}

TEST(ParseKey, refuses_two_lines_even_when_they_say_the_same) {
  EXPECT_FALSE(parse_key({"abc", "abc"}));
  EXPECT_FALSE(parse_key({"abc", ""}));
  EXPECT_FALSE(parse_key({}));
}

TEST(HashKey, is_the_sha_256_of_the_text) {
  const KeyHash hash = hash_key({"abc"});  // FIPS 180-2 B.1
  EXPECT_EQ(to_hex(as_text(hash)), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace semel::idempotency
