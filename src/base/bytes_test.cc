// bytes_test.cc: text forms of bytes, with the vectors of RFC 4648 section 10 and broken forms of each.
#include "base/bytes.h"

#include <gtest/gtest.h>

namespace semel {
namespace {

using namespace std::string_literals;

std::string every_byte() {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  return bytes;
}

TEST(Hex, writes_lower_case_and_reads_both) {
  EXPECT_EQ(to_hex("\x00\x7f\xab\xff"s), "007fabff");
  EXPECT_EQ(from_hex("007FabFF"), "\x00\x7f\xab\xff"s);
  EXPECT_EQ(from_hex(""), "");
  EXPECT_EQ(from_hex(to_hex(every_byte())), every_byte());
  for (const char* text : {"0", "0g", "g0", " 0", "0x00"}) EXPECT_EQ(from_hex(text), std::nullopt) << text;
}

TEST(Base64, vectors_of_the_specification) {
  const struct {
    std::string bytes, text;
  } rows[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
      {"\xfb\xff\xfe", "+//+"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(to_base64(row.bytes), row.text);
    EXPECT_EQ(from_base64(row.text), row.bytes) << row.text;
    EXPECT_EQ(from_base64(row.text.substr(0, row.text.find('=')), Padding::optional), row.bytes) << row.text;
  }
  EXPECT_EQ(from_base64(to_base64(every_byte())), every_byte());
}

TEST(Base64, refuses_every_other_spelling) {
  for (const char* text : {"Zg", "Zg=", "Zg===", "Zg==Zg==", "Z", "Z===", "=", "====", "Zh==", "Zm9=", "Zm 9v",
                           "Zm9v\n", "-__-", "Zg=a", "Z=g="})
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
  for (const char* text : {"Zg=", "Z", "Zh", "Zm9v="})
    EXPECT_EQ(from_base64(text, Padding::optional), std::nullopt) << text;
}

TEST(Percent, escapes_all_but_unreserved_characters) {
  EXPECT_EQ(percent_encode("AZaz09-._~"), "AZaz09-._~");
  EXPECT_EQ(percent_encode("a b/c%\xc3\xa9\n"), "a%20b%2Fc%25%C3%A9%0A");
  EXPECT_EQ(percent_decode("a%20b%2fc%25%C3%a9+"), "a b/c%\xc3\xa9+");
  EXPECT_EQ(percent_decode(percent_encode(every_byte())), every_byte());
  for (const char* text : {"%", "%2", "a%2", "%zz", "%2g", "% 20"}) EXPECT_EQ(percent_decode(text), std::nullopt);
}

TEST(Utf8, valid_means_scalar_values_in_their_shortest_form) {
  for (const std::string& text :
       {""s, "\0"s, "\x7f"s, "\xc2\x80"s, "\xed\x9f\xbf"s, "\xee\x80\x80"s, "\xf4\x8f\xbf\xbf"s})
    EXPECT_TRUE(is_valid_utf8(text)) << to_hex(text);
  for (const std::string& text : {"\x80"s, "\xc0\x80"s, "\xc3"s, "\xe0\x80\x80"s, "\xed\xa0\x80"s, "\xf0\x80\x80\x80"s,
                                  "\xf4\x90\x80\x80"s, "\xf8\x88\x80\x80\x80"s, "a\xff"s})
    EXPECT_FALSE(is_valid_utf8(text)) << to_hex(text);
}

TEST(Printable, shows_other_bytes_as_escapes_and_never_half_of_one) {
  EXPECT_EQ(printable("ok ~\x1b[0m\x7f\xc3", 100), "ok ~\\x1b[0m\\x7f\\xc3");
  EXPECT_EQ(printable("abc\n", 7), "abc\\x0a");
  EXPECT_EQ(printable("abc\n", 6), "abc");
  EXPECT_EQ(printable("abc", 0), "");
}

TEST(ConstantTimeEqual, compares_every_byte) {
  EXPECT_TRUE(constant_time_equal("", ""));
  EXPECT_TRUE(constant_time_equal("a\0b"s, "a\0b"s));
  EXPECT_FALSE(constant_time_equal("a\0b"s, "a\0c"s));
  EXPECT_FALSE(constant_time_equal("xb", "ab"));
  EXPECT_FALSE(constant_time_equal("a", "ab"));
  EXPECT_FALSE(constant_time_equal("\x01\x01", "\x02\x03"));
}

}  // namespace
}  // namespace semel
