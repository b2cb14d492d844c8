// address_test.cc: how addresses are read and written, and which may be connected to.
#include "core/egress/address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace semel::egress {
namespace {

IpAddress ip(std::string_view text) { return parse_ip(text).value(); }
SocketAddress at(std::string_view text) { return parse_socket_address(text).value(); }
AllowedRange range(std::string_view text) { return parse_allowed_range(text).value(); }

struct Text {
  const char* input;
  const char* normal;  // nullptr: refused
};

TEST(ParseIp, takes_strict_text_only_and_writes_the_normal_form) {
  constexpr Text kCases[] = {
      {"0.0.0.0", "0.0.0.0"},
      {"255.255.255.255", "255.255.255.255"},
      {"1.2.3.4", "1.2.3.4"},
      {"01.2.3.4", nullptr},
      {"1.2.3.04", nullptr},
      {"0127.0.0.1", nullptr},
      {"256.1.1.1", nullptr},
      {"1.2.3", nullptr},
      {"1.2.3.4.5", nullptr},
      {"1.2.3.", nullptr},
      {".1.2.3", nullptr},
      {"1..2.3", nullptr},
      {" 1.2.3.4", nullptr},
      {"1.2.3.4 ", nullptr},
      {"1.2.3.4\n", nullptr},
      {"+1.2.3.4", nullptr},
      {"0x1.2.3.4", nullptr},
      {"127.1", nullptr},
      {"2130706433", nullptr},
      {"1.2.3.99999999999", nullptr},
      {"", nullptr},
      {"::", "::"},
      {"::1", "::1"},
      {"1::", "1::"},
      {"0:0:0:0:0:0:0:1", "::1"},
      {"2001:DB8::A", "2001:db8::a"},
      {"2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"},
      {"2001:0:0:1:0:0:0:1", "2001:0:0:1::1"},
      {"2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},
      {"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"},
      {"::ffff:127.0.0.1", "::ffff:127.0.0.1"},
      {"::ffff:7f00:1", "::ffff:127.0.0.1"},
      {"64:ff9b::127.0.0.1", "64:ff9b::7f00:1"},
      {"1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"},
      {"1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"},
      {"1:2:3:4:5:6:7", nullptr},
      {"1:2:3:4:5:6:7:8:9", nullptr},
      {"1:2:3:4::5:6:7:8", nullptr},
      {"1::2::3", nullptr},
      {":::", nullptr},
      {":1::2", nullptr},
      {"1:", nullptr},
      {"12345::", nullptr},
      {"g::", nullptr},
      {"-1::", nullptr},
      {"0x1::", nullptr},
      {"fe80::1%lo", nullptr},
      {"::1.2.3", nullptr},
      {"::01.2.3.4", nullptr},
      {"1.2.3.4::", nullptr},
      {"::1.2.3.4:5", nullptr},
      {"[::1]", nullptr},
  };
  for (const Text& text : kCases) {
    const auto parsed = parse_ip(text.input);
    EXPECT_EQ(parsed.has_value(), text.normal != nullptr) << text.input;
    if (parsed && text.normal) {
      EXPECT_EQ(format_ip(*parsed), text.normal) << text.input;
    }
  }
}

TEST(ParseIp, agrees_with_the_c_library_on_random_addresses) {
  SeededRandom random(1);
  for (int round = 0; round < 20'000; ++round) {
    IpAddress made{.family = IpAddress::Family::v6};
    random.fill(made.bytes);
    for (std::size_t i = 0; i < 16; i += 2)  // many zero groups, so that runs of all lengths appear
      if (random.below(2) == 0) made.bytes[i] = made.bytes[i + 1] = 0;
    made.bytes[0] = 0x20;  // outside the forms that the C library writes with a dotted quad
    char text[INET6_ADDRSTRLEN];
    ASSERT_NE(inet_ntop(AF_INET6, made.bytes.data(), text, sizeof text), nullptr);
    EXPECT_EQ(format_ip(made), text);
    EXPECT_EQ(parse_ip(text), made);
  }
}

TEST(SocketAddressText, needs_brackets_for_ipv6_and_only_there) {
  constexpr Text kCases[] = {
      {"127.0.0.1:80", "127.0.0.1:80"},
      {"127.0.0.1:0", "127.0.0.1:0"},
      {"[::1]:65535", "[::1]:65535"},
      {"127.0.0.1", nullptr},
      {"127.0.0.1:", nullptr},
      {"127.0.0.1:65536", nullptr},
      {"127.0.0.1:080", nullptr},
      {"127.0.0.1:-1", nullptr},
      {"[127.0.0.1]:80", nullptr},
      {"::1:80", nullptr},
      {"[::1]", nullptr},
      {"[]:80", nullptr},
      {"localhost:80", nullptr},
  };
  for (const Text& text : kCases) {
    const auto parsed = parse_socket_address(text.input);
    EXPECT_EQ(parsed.has_value(), text.normal != nullptr) << text.input;
    if (parsed && text.normal) {
      EXPECT_EQ(format_socket_address(*parsed), text.normal);
    }
  }
}

TEST(Loopback, is_127_slash_8_and_one_address_of_ipv6) {
  for (const char* yes : {"127.0.0.0", "127.0.0.1", "127.255.255.255", "::1"}) EXPECT_TRUE(is_loopback(ip(yes))) << yes;
  for (const char* no : {"126.255.255.255", "128.0.0.0", "::", "::2", "::ffff:127.0.0.1"})
    EXPECT_FALSE(is_loopback(ip(no))) << no;
}

TEST(AllowedRangeText, is_a_network_with_optional_ports) {
  const AllowedRange whole = range("10.0.0.0/8");
  EXPECT_EQ(whole.network, ip("10.0.0.0"));
  EXPECT_EQ(whole.prefix_length, 8);
  EXPECT_TRUE(whole.ports.empty());

  const AllowedRange some = range("fd00::/8:443,9000-9100");
  ASSERT_EQ(some.ports.size(), 2u);
  EXPECT_EQ(some.ports[0].first, 443);
  EXPECT_EQ(some.ports[0].last, 443);
  EXPECT_EQ(some.ports[1].first, 9000);
  EXPECT_EQ(some.ports[1].last, 9100);

  for (const char* good : {"0.0.0.0/0", "127.0.0.1/32:1-65535", "::/0", "::1/128:8080"})
    EXPECT_TRUE(parse_allowed_range(good).has_value()) << good;
  for (const char* bad : {"", "10.0.0.0", "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/08", "10.0.0.0/-1", "10.0.0.0/",
                          "10.0.0.0/8:", "10.0.0.0/8:0", "10.0.0.0/8:65536", "10.0.0.0/8:90-80", "10.0.0.0/8:80,",
                          "10.0.0.0/8:80-", "10.0.0.0/8:http", "10/8", "fd00::/129", "fd00::1/64", "localhost/8"})
    EXPECT_EQ(parse_allowed_range(bad).error().fault, Fault::invalid) << bad;
}

struct Dial {
  Scheme scheme;
  const char* to;
  bool allowed;
};

TEST(MayConnect, without_ranges_only_https_to_public_addresses_on_default_ports) {
  const EgressRules rules{.own_addresses = {ip("9.9.9.9")}};
  constexpr Dial kCases[] = {
      {Scheme::https, "8.8.8.8:443", true},        {Scheme::https, "8.8.8.8:80", true},
      {Scheme::https, "8.8.8.8:8443", true},       {Scheme::https, "8.8.8.8:8080", true},
      {Scheme::https, "[2606:4700::1]:443", true}, {Scheme::https, "8.8.8.8:22", false},
      {Scheme::https, "8.8.8.8:444", false},       {Scheme::https, "8.8.8.8:6379", false},
      {Scheme::https, "8.8.8.8:0", false},         {Scheme::http, "8.8.8.8:80", false},
      {Scheme::https, "127.0.0.1:443", false},     {Scheme::https, "[::1]:443", false},
      {Scheme::https, "9.9.9.9:443", false},       {Scheme::https, "[::ffff:8.8.8.8]:443", false},
  };
  for (const Dial& dial : kCases) EXPECT_EQ(may_connect(rules, dial.scheme, at(dial.to)), dial.allowed) << dial.to;
}

TEST(MayConnect, a_range_opens_itself_with_http_and_its_ports_and_nothing_beside) {
  const EgressRules rules{.allowed = {range("127.0.0.0/8:9000-9001"), range("10.1.0.0/16")},
                          .own_addresses = {ip("127.0.0.1")}};
  constexpr Dial kCases[] = {
      {Scheme::http, "127.0.0.1:9000", true},  {Scheme::https, "127.0.0.1:9001", true},
      {Scheme::http, "127.0.0.1:8999", false}, {Scheme::http, "127.0.0.1:9002", false},
      {Scheme::https, "127.0.0.1:443", false}, {Scheme::http, "10.1.255.255:80", true},
      {Scheme::http, "10.1.0.0:8080", true},   {Scheme::http, "10.1.0.0:9000", false},
      {Scheme::http, "10.2.0.0:80", false},    {Scheme::https, "10.0.255.255:443", false},
      {Scheme::http, "[::1]:9000", false},     {Scheme::http, "[::ffff:127.0.0.1]:9000", false},
      {Scheme::https, "8.8.8.8:443", true},    {Scheme::https, "8.8.8.8:9000", false},
  };
  for (const Dial& dial : kCases) EXPECT_EQ(may_connect(rules, dial.scheme, at(dial.to)), dial.allowed) << dial.to;
}

TEST(MayConnect, addresses_behind_the_operators_translators_are_denied) {
  const EgressRules rules{.nat64_prefixes = {parse_network("2001:4860:64::/96").value()}};
  EXPECT_FALSE(may_connect(rules, Scheme::https, at("[2001:4860:64::a00:1]:443")));
  EXPECT_TRUE(may_connect(rules, Scheme::https, at("[2001:4860:64::1:a00:1]:443")));
}

}  // namespace
}  // namespace semel::egress
