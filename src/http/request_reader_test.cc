// Which bytes are a request this server takes, and how the others are refused.
#include "http/request_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace semel::http {
namespace {

using State = RequestReader::State;

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

std::string line_of(std::size_t size) { return "a: " + std::string(size - 5, 'x') + "\r\n"; }

TEST(RequestReader, reads_a_request) {
  const std::string bytes =
      "POST /v1/events?a=b?c HTTP/1.1\r\nHost: 127.0.0.1:7350\r\nX-Thing:  Value \r\nContent-Length: 2\r\n\r\n{}GET";
  for (const std::size_t piece : {std::size_t{1}, std::size_t{5}, bytes.size()}) {
    SCOPED_TRACE(piece);
    RequestReader reader{RequestLimits{}};
    std::size_t taken = 0;
    while (taken < bytes.size() && reader.state() == State::reading)
      taken += reader.take(std::string_view(bytes).substr(taken, piece));
    ASSERT_EQ(reader.state(), State::complete);
    EXPECT_EQ(bytes.substr(taken), "GET");
    EXPECT_TRUE(reader.keeps_connection());
    const HttpRequest request = reader.take_request();
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.path, "/v1/events");
    EXPECT_EQ(request.query, "a=b?c");
    EXPECT_EQ(request.header("host"), "127.0.0.1:7350");
    EXPECT_EQ(request.header("x-thing"), "Value");
    EXPECT_EQ(request.body, "{}");
  }
}

struct Case {
  std::string name;
  std::string bytes;
  int refusal;  // 0: taken
};

void expect_all(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{4}, c.bytes.size()}) {
      SCOPED_TRACE(c.name + ", in pieces of " + std::to_string(piece));
      RequestReader reader{RequestLimits{.headers = {}, .body_max = 10}};
      std::size_t taken = 0;
      while (taken < c.bytes.size() && reader.state() == State::reading)
        taken += reader.take(std::string_view(c.bytes).substr(taken, piece));
      EXPECT_EQ(reader.state(), c.refusal == 0 ? State::complete : State::refused);
      EXPECT_EQ(reader.refusal(), c.refusal);
      if (c.refusal != 0) {
        EXPECT_FALSE(reader.keeps_connection());
      }
    }
  }
}

TEST(RequestReader, judges_request_lines) {
  const auto line = [](std::string text) { return text + "\r\nHost: x\r\n\r\n"; };
  expect_all({
      {"get", line("GET / HTTP/1.1"), 0},
      {"HTTP/1.0", line("GET / HTTP/1.0"), 0},
      {"escapes", line("GET /a%20b/c:d@e HTTP/1.1"), 0},
      {"absolute form", line("GET http://x/ HTTP/1.1"), 400},
      {"authority form", line("CONNECT x:80 HTTP/1.1"), 400},
      {"asterisk form", line("OPTIONS * HTTP/1.1"), 400},
      {"fragment", line("GET /#a HTTP/1.1"), 400},
      {"space in the target", line("GET /a b HTTP/1.1"), 400},
      {"two spaces", line("GET  / HTTP/1.1"), 400},
      {"no target", line("GET HTTP/1.1"), 400},
      {"no version", line("GET /"), 400},
      {"HTTP/2", line("GET / HTTP/2"), 400},
      {"lower case version", line("GET / http/1.1"), 400},
      {"no token", line("G(T / HTTP/1.1"), 400},
      {"byte over 127 in the target", line("GET /\xc3\xa9 HTTP/1.1"), 400},
      {"backslash", line("GET /a\\b HTTP/1.1"), 400},
      {"an empty line first", "\r\n" + line("GET / HTTP/1.1"), 400},
      {"TLS hello", std::string("\x16\x03\x01\x02\x00\x01", 6), 400},
  });
}

TEST(RequestReader, judges_headers) {
  const auto with = [](std::string lines) { return "POST / HTTP/1.1\r\n" + lines + "\r\n\r\n"; };
  expect_all({
      {"no host", "GET / HTTP/1.1\r\n\r\n", 400},
      {"no host in HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", 400},
      {"two hosts", with("Host: x\r\nHost: x"), 400},
      {"empty host", with("Host:"), 400},
      {"host with user", with("Host: a@x"), 400},
      {"host with path", with("Host: x/y"), 400},
      {"IPv6 host", with("Host: [::1]:80"), 0},
      {"folded", with("Host: x\r\n y"), 400},
      {"bare LF", "POST / HTTP/1.1\nHost: x\r\n\r\n", 400},
      {"space before the colon", with("Host : x"), 400},
      {"two lengths", with("Host: x\r\nContent-Length: 0\r\nContent-Length: 0"), 400},
      {"length and chunked", with("Host: x\r\nContent-Length: 0\r\nTransfer-Encoding: chunked"), 400},
      {"other coding", with("Host: x\r\nTransfer-Encoding: gzip, chunked"), 400},
      {"chunked in HTTP/1.0", "POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {"another expectation", with("Host: x\r\nExpect: more"), 417},
      {"two expectations", with("Host: x\r\nExpect: 100-continue\r\nExpect: 100-continue"), 417},
      {"100 lines", with("Host: x\r\n" + repeated("a: b\r\n", 98) + "a: b"), 0},
      {"101 lines", with("Host: x\r\n" + repeated("a: b\r\n", 99) + "a: b"), 431},
      {"32 KiB", "GET / HTTP/1.1\r\nHost: x\r\n" + line_of(32 * 1024 - 27) + "\r\n", 0},
      {"32 KiB and a byte", "GET / HTTP/1.1\r\nHost: x\r\n" + line_of(32 * 1024 - 26) + "\r\n", 431},
  });
}

TEST(RequestReader, bounds_bodies) {
  const std::string chunked = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string length = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ";
  expect_all({
      {"full by length", length + "10\r\n\r\n0123456789", 0},
      {"over by length, before a byte of it came", length + "11\r\n\r\n", 413},
      {"full in chunks", chunked + "5\r\n01234\r\n5\r\n56789\r\n0\r\n\r\n", 0},
      {"over in chunks", chunked + "5\r\n01234\r\n6\r\n56789a", 413},
      {"broken chunk", chunked + "5\r\n01234 ", 400},
      {"infinite trailers", chunked + "0\r\n" + repeated("a: b\r\n", 101), 413},
  });
}

TEST(RequestReader, sees_who_waits_for_continue) {
  struct {
    std::string name;
    std::string bytes;
    bool awaits;
  } const cases[] = {
      {"a length", "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n", true},
      {"in capitals", "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-CONTINUE\r\nContent-Length: 2\r\n\r\n", true},
      {"chunks", "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n", true},
      {"no body", "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n", false},
      {"HTTP/1.0", "POST / HTTP/1.0\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n", false},
      {"body begun", "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{", false},
      {"not asked", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n", false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    RequestReader reader{RequestLimits{}};
    reader.take(c.bytes);
    EXPECT_EQ(reader.awaits_continue(), c.awaits);
  }
}

}  // namespace
}  // namespace semel::http
