// url_test.cc: the normal form of URLs, which fault says what, and what an opened range changes.
// Single inputs under the default rules stand in tests/vectors/egress.tsv.
#include "core/egress/url.h"

#include <gtest/gtest.h>

namespace semel::egress {
namespace {

EgressRules opened(std::initializer_list<std::string_view> ranges) {
  EgressRules rules;
  for (const std::string_view text : ranges) rules.allowed.push_back(parse_allowed_range(text).value());
  return rules;
}

struct Normal {
  const char* input;
  const char* text;
  const char* host_header;
  const char* target;
};

TEST(Url, has_one_normal_form) {
  constexpr Normal kCases[] = {
      {"HTTPS://EXAMPLE.COM", "https://example.com/", "example.com", "/"},
      {"https://example.com.:443/Hook", "https://example.com/Hook", "example.com", "/Hook"},
      {"https://example.com:8443?a=B", "https://example.com:8443/?a=B", "example.com:8443", "/?a=B"},
      {"https://example.com:80/", "https://example.com:80/", "example.com:80", "/"},
      {"https://example.com//a/../b/%2e%2E/?q=/?&%zz|", "https://example.com//a/../b/%2e%2E/?q=/?&%zz|", "example.com",
       "//a/../b/%2e%2E/?q=/?&%zz|"},
      {"https://B\u00fccher.Example/", "https://xn--bcher-kva.example/", "xn--bcher-kva.example", "/"},
      {"https://fa\u00df.example/", "https://xn--fa-hia.example/", "xn--fa-hia.example", "/"},
      {"https://[2606:4700:4700:0:0:0:0:1111]:8443/x", "https://[2606:4700:4700::1111]:8443/x",
       "[2606:4700:4700::1111]:8443", "/x"},
      {"https://[2606:4700::1]:443", "https://[2606:4700::1]/", "[2606:4700::1]", "/"},
      {"https://8.8.8.8/", "https://8.8.8.8/", "8.8.8.8", "/"},
  };
  for (const Normal& normal : kCases) {
    const auto url = parse_url(normal.input, {});
    ASSERT_TRUE(url.has_value()) << normal.input << ": " << url.error().note;
    EXPECT_EQ(url->text(), normal.text);
    EXPECT_EQ(url->host_header(), normal.host_header);
    EXPECT_EQ(url->target, normal.target);
    EXPECT_EQ(parse_url(url->text(), {})->text(), normal.text) << "reading the normal form again changes nothing";
  }
}

TEST(Url, a_literal_address_is_kept_beside_the_host) {
  const auto v6 = parse_url("https://[2606:4700::1]/", {});
  EXPECT_EQ(v6->host, "2606:4700::1");
  EXPECT_EQ(v6->literal, parse_ip("2606:4700::1"));
  EXPECT_EQ(parse_url("https://example.com/", {})->literal, std::nullopt);
}

struct Refusal {
  const char* input;
  Fault fault;
};

TEST(Url, invalid_means_not_understood_and_forbidden_means_understood_and_denied) {
  constexpr Refusal kCases[] = {
      {"", Fault::invalid},
      {"example.com", Fault::invalid},
      {"1https://example.com/", Fault::invalid},
      {" https://example.com/", Fault::invalid},
      {"https://example.com/ ", Fault::invalid},
      {"https://example.com/a\tb", Fault::invalid},
      {"https://exam\nple.com/", Fault::invalid},
      {"https://example.com/\x7f", Fault::invalid},
      {"https://exa\xffmple.com/", Fault::invalid},
      {"https://user@example.com/", Fault::invalid},
      {"https://example.com/#f", Fault::invalid},
      {"https://127.1/", Fault::invalid},
      {"https://0x7f.0.0.1/", Fault::invalid},
      {"https://xn--example-.org/", Fault::invalid},
      {"https://example.com:99999/", Fault::invalid},
      {"https://[fe80::1%25lo]/", Fault::invalid},
      {"ftp://example.com/", Fault::forbidden},
      {"http://example.com/", Fault::forbidden},
      {"https://example.com:22/", Fault::forbidden},
      {"https://localhost/", Fault::forbidden},
      {"https://intranet/", Fault::forbidden},
      {"https://a.internal/", Fault::forbidden},
      {"https://127.0.0.1/", Fault::forbidden},
      {"https://[::1]/", Fault::forbidden},
  };
  for (const Refusal& refusal : kCases) {
    const auto url = parse_url(refusal.input, {});
    ASSERT_FALSE(url.has_value()) << refusal.input;
    EXPECT_EQ(url.error().fault, refusal.fault) << refusal.input;
    EXPECT_FALSE(url.error().note.empty());
  }
}

TEST(Url, a_user_name_is_refused_as_such) {
  EXPECT_EQ(parse_url("https://user:pw@example.com/", {}).error().note, "a URL has no user name or password");
}

TEST(Url, a_nul_byte_is_not_the_end_of_a_host) {
  EXPECT_FALSE(parse_url(std::string_view("https://example.com\0.evil.example/", 34), {}).has_value());
}

TEST(Url, is_bounded_in_length) {
  const std::string start = "https://example.com/";
  EXPECT_TRUE(parse_url(start + std::string(2048 - start.size(), 'a'), {}).has_value());
  EXPECT_FALSE(parse_url(start + std::string(2049 - start.size(), 'a'), {}).has_value());
}

struct Opened {
  const char* input;
  bool allowed;
};

// The normal form is what is stored: one that could not be read back would be a corrupt endpoint at the next start.
TEST(Url, is_bounded_in_its_normal_form_too_which_may_be_longer) {
  const std::string without_path = "https://example.com?";
  const std::string mapped = "https://[::ffff:ffff:ffff]/";
  const std::string international = "https://b\u00fccher.example/";
  for (const std::string& start : {without_path, mapped, international}) {
    const auto longest = read_url(start + std::string(2048 - start.size(), 'a'));
    ASSERT_FALSE(longest.has_value()) << start;
    EXPECT_EQ(longest.error().fault, Fault::invalid);
  }
  const auto short_enough = read_url(without_path + std::string(2047 - without_path.size(), 'a'));
  ASSERT_TRUE(short_enough.has_value());
  EXPECT_EQ(short_enough->text().size(), 2048u);
}

TEST(Url, an_opened_range_allows_http_its_ports_and_localhost_where_it_covers_loopback) {
  const EgressRules rules = opened({"127.0.0.0/8:9000-9010", "10.0.0.0/8"});
  constexpr Opened kCases[] = {
      {"http://127.0.0.1:9000/", true},
      {"https://127.0.0.1:9010/", true},
      {"http://127.0.0.1:9011/", false},
      {"http://127.0.0.1/", false},
      {"http://localhost:9000/", true},
      {"http://LOCALHOST.:9000/", true},
      {"http://localhost/", false},
      {"https://localhost:443/", false},
      {"http://a.localhost:9000/", false},
      {"http://10.1.2.3/", true},
      {"http://10.1.2.3:8080/", true},
      {"http://10.1.2.3:9000/", false},
      {"http://receiver.example/", true},
      {"http://receiver.example:9000/", true},
      {"http://receiver.example:81/", false},
      {"http://intranet/", false},
      {"https://a.internal/", false},
      {"http://8.8.8.8/", false},
      {"https://[::1]:9000/", false},
      {"http://127.1:9000/", false},
      {"http://[::ffff:127.0.0.1]:9000/", false},
  };
  for (const Opened& opened_case : kCases)
    EXPECT_EQ(parse_url(opened_case.input, rules).has_value(), opened_case.allowed) << opened_case.input;
}

TEST(Url, a_stored_one_is_read_back_without_asking_the_rules_again) {
  for (const char* stored : {"http://127.0.0.1:9000/hook", "http://localhost:9000/", "https://[fd00::1]/"})
    EXPECT_EQ(read_url(stored)->text(), stored);
  EXPECT_EQ(read_url("https://127.1/").error().fault, Fault::invalid);
}

TEST(Url, localhost_stays_denied_when_no_range_covers_loopback) {
  EXPECT_EQ(parse_url("http://localhost/", opened({"10.0.0.0/8"})).error().fault, Fault::forbidden);
  EXPECT_TRUE(parse_url("http://localhost/", opened({"::1/128"})).has_value());
  EXPECT_TRUE(parse_url("http://localhost/", opened({"127.0.0.1/32"})).has_value());
}

}  // namespace
}  // namespace semel::egress
