// Which bytes are a response, where it ends, and what it says.
#include "http/response_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace semel::http {
namespace {

using State = ResponseReader::State;

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

// A field line of `size` bytes with its CRLF.
std::string line_of(std::size_t size) { return "a: " + std::string(size - 5, 'x') + "\r\n"; }

struct Case {
  std::string name;
  std::string bytes;
  State state;
  int status = 0;  // 0: the head is not complete
  std::string body = "";
  std::size_t leftover = 0;
};

void expect(const Case& c, std::size_t piece) {
  SCOPED_TRACE(c.name + ", in pieces of " + std::to_string(piece));
  ResponseReader reader{ResponseLimits{}};
  std::size_t taken = 0;
  while (taken < c.bytes.size() && reader.state() == State::reading)
    taken += reader.take(std::string_view(c.bytes).substr(taken, piece));
  EXPECT_EQ(reader.state(), c.state);
  EXPECT_EQ(reader.head_complete(), c.status != 0);
  if (!reader.head_complete()) return;
  EXPECT_EQ(reader.status(), c.status);
  EXPECT_EQ(reader.body(), c.body);
  if (c.state == State::complete) {
    EXPECT_EQ(c.bytes.size() - taken, c.leftover);
  }
}

void expect_all(const std::vector<Case>& cases) {
  for (const Case& c : cases)
    for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{7}, c.bytes.size()}) expect(c, piece);
}

TEST(ResponseReader, takes_what_the_standard_has) {
  expect_all({
      {"length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", State::complete, 200, "hello"},
      {"no reason phrase", "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", State::complete, 200},
      {"reason with bytes over 127", "HTTP/1.1 200 \xc3\xa9\r\nContent-Length: 0\r\n\r\n", State::complete, 200},
      {"values with bytes over 127", "HTTP/1.1 200 OK\r\na: caf\xe9\r\nb: \xff\xfe\r\nContent-Length: 0\r\n\r\n",
       State::complete, 200},
      {"HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", State::complete, 200, "ok"},
      {"names in any case", "HTTP/1.1 200 OK\r\ncOnTeNt-LeNgTh:2\r\n\r\nok", State::complete, 200, "ok"},
      {"white space around a value", "HTTP/1.1 200 OK\r\nContent-Length: \t 2 \t\r\n\r\nok", State::complete, 200,
       "ok"},
      {"leading zeros in a length", "HTTP/1.1 200 OK\r\nContent-Length: 002\r\n\r\nok", State::complete, 200, "ok"},
      {"an empty value", "HTTP/1.1 200 OK\r\na:\r\nContent-Length: 0\r\n\r\n", State::complete, 200},
      {"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n",
       State::complete, 200, "abc0123456789"},
      {"Chunked in capitals", "HTTP/1.1 200 OK\r\nTransfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n", State::complete, 200},
      {"chunk extension and trailer",
       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=\"b\"\r\nok\r\n0\r\nt: 1\r\n\r\n", State::complete,
       200, "ok"},
      {"the lowest and the highest status", "HTTP/1.1 599 x\r\nContent-Length: 0\r\n\r\n", State::complete, 599},
      {"interim responses first",
       "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 x\r\na: b\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
       State::complete, 200},
      {"204 has no body", "HTTP/1.1 204 No Content\r\n\r\n", State::complete, 204},
      {"304 has no body whatever its length says", "HTTP/1.1 304 x\r\nContent-Length: 10\r\n\r\n", State::complete,
       304},
  });
}

TEST(ResponseReader, leaves_what_is_behind_a_response) {
  expect_all({
      {"a second response", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\n", State::complete,
       200, "ok", 19},
      {"a body behind 204", "HTTP/1.1 204 x\r\nContent-Length: 2\r\n\r\nok", State::complete, 204, "", 2},
      {"a body behind 304", "HTTP/1.1 304 x\r\n\r\nhello", State::complete, 304, "", 5},
      {"a byte behind the last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nX",
       State::complete, 200, "", 1},
  });
}

TEST(ResponseReader, waits_for_what_is_missing) {
  expect_all({
      {"nothing", "H", State::reading},
      {"half a status line", "HTTP/1.1 20", State::reading},
      {"no empty line", "HTTP/1.1 200 OK\r\na: b\r\n", State::reading},
      {"only interim responses", "HTTP/1.1 102 x\r\n\r\n", State::reading},
      {"half a body", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nok", State::reading, 200, "ok"},
      {"no last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n", State::reading, 200, "ok"},
      {"no end of trailers", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\na: b\r\n", State::reading, 200},
      {"a body until the connection ends", "HTTP/1.1 200 OK\r\n\r\nall of it", State::reading, 200, "all of it"},
  });
}

TEST(ResponseReader, refuses_start_lines_that_are_not_http) {
  expect_all({
      {"HTTP/0.9", "<html>hello", State::malformed},
      {"HTTP/2 frame", std::string("\0\0\x12\x04\0\0\0\0\0", 9), State::malformed},
      {"h2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", State::malformed},
      {"lower case", "http/1.1 200 OK\r\n\r\n", State::malformed},
      {"HTTP/1.2", "HTTP/1.2 200 OK\r\n\r\n", State::malformed},
      {"HTTP/2", "HTTP/2 200 OK\r\n\r\n", State::malformed},
      {"two digits", "HTTP/1.1 99 x\r\n\r\n", State::malformed},
      {"status 099", "HTTP/1.1 099 x\r\n\r\n", State::malformed},
      {"status 600", "HTTP/1.1 600 x\r\n\r\n", State::malformed},
      {"six digits", "HTTP/1.1 200200\r\n\r\n", State::malformed},
      {"no space behind the status", "HTTP/1.1 200\r\n\r\n", State::malformed},
      {"two spaces", "HTTP/1.1  200 OK\r\n\r\n", State::malformed},
      {"a signed status", "HTTP/1.1 +20 OK\r\n\r\n", State::malformed},
      {"an empty line first", "\r\nHTTP/1.1 200 OK\r\n\r\n", State::malformed},
      {"unprompted 101", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", State::malformed},
      {"NUL in the reason", std::string("HTTP/1.1 200 O\0K\r\n\r\n", 20), State::malformed},
  });
}

TEST(ResponseReader, refuses_lines_two_readers_could_see_differently) {
  const auto with = [](std::string lines) { return "HTTP/1.1 200 OK\r\n" + lines + "\r\n\r\n"; };
  expect_all({
      {"bare LF", "HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n", State::malformed},
      {"bare LF as the last line", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\n", State::malformed},
      {"bare CR", with("a: b\rc"), State::malformed},
      {"CR CR LF", with("a: b\r\r"), State::malformed},
      {"folded line", with("a: b\r\n c"), State::malformed},
      {"folded with a tab", with("a: b\r\n\tc"), State::malformed},
      {"folded first line", with(" a: b"), State::malformed},
      {"space before the colon", with("a : b"), State::malformed},
      {"no colon", with("ab"), State::malformed},
      {"no name", with(": b"), State::malformed},
      {"a space in the name", with("a b: c"), State::malformed},
      {"NUL in a value", with(std::string("a: b\0c", 6)), State::malformed},
      {"NUL in a name", with(std::string("a\0: c", 5)), State::malformed},
      {"DEL in a value", with("a: \x7f"), State::malformed},
      {"escape in a value", with("a: \x1b[31m"), State::malformed},
      {"a name over 127", with("\xc3\xa9: c"), State::malformed},
  });
}

TEST(ResponseReader, refuses_doubtful_lengths) {
  const auto with = [](std::string lines) { return "HTTP/1.1 200 OK\r\n" + lines + "\r\n\r\n"; };
  expect_all({
      {"2^63-1", with("Content-Length: 9223372036854775807"), State::malformed},
      {"sixteen digits", with("Content-Length: 1000000000000000"), State::malformed},
      {"negative", with("Content-Length: -1"), State::malformed},
      {"plus", with("Content-Length: +5"), State::malformed},
      {"empty", with("Content-Length:"), State::malformed},
      {"hexadecimal", with("Content-Length: 0x2"), State::malformed},
      {"inner space", with("Content-Length: 1 2"), State::malformed},
      {"list of equal values", with("Content-Length: 2, 2"), State::malformed},
      {"two equal lines", with("Content-Length: 2\r\nContent-Length: 2"), State::malformed},
      {"two other lines", with("Content-Length: 2\r\nContent-Length: 3"), State::malformed},
      {"length and chunked", with("Content-Length: 2\r\nTransfer-Encoding: chunked"), State::malformed},
      {"chunked and length", with("Transfer-Encoding: chunked\r\nContent-Length: 2"), State::malformed},
      {"gzip, chunked", with("Transfer-Encoding: gzip, chunked"), State::malformed},
      {"chunked, gzip", with("Transfer-Encoding: chunked, gzip"), State::malformed},
      {"chunked twice", with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"), State::malformed},
      {"identity", with("Transfer-Encoding: identity"), State::malformed},
      {"chunked in HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", State::malformed},
  });
}

TEST(ResponseReader, refuses_broken_chunks_after_a_complete_head) {
  const auto with = [](std::string body) { return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body; };
  expect_all({
      {"no size", with("\r\n"), State::malformed, 200},
      {"only an extension", with(";a\r\n"), State::malformed, 200},
      {"negative size", with("-1\r\n"), State::malformed, 200},
      {"0x size", with("0x1\r\n"), State::malformed, 200},
      {"nine digits", with("000000001\r\n"), State::malformed, 200},
      {"space behind the size", with("1 \r\n"), State::malformed, 200},
      {"bare LF behind the size", with("1\na\r\n"), State::malformed, 200},
      {"bare CR behind the size", with("1\ra"), State::malformed, 200},
      {"bare LF in an extension", with("1;a\nb\r\n"), State::malformed, 200},
      {"data longer than its size", with("1\r\nab\r\n"), State::malformed, 200, "a"},
      {"bare LF behind the data", with("1\r\na\n"), State::malformed, 200, "a"},
      {"a trailer without colon", with("0\r\nab\r\n\r\n"), State::malformed, 200},
      {"a folded trailer", with("0\r\na: b\r\n c\r\n\r\n"), State::malformed, 200},
  });
}

TEST(ResponseReader, bounds_headers) {
  const std::string start = "HTTP/1.1 204 No Content\r\n";  // 25 bytes
  const std::string hundred = repeated("a: b\r\n", 100);
  const std::string interim = "HTTP/1.1 102 x\r\n\r\n";
  expect_all({
      {"100 lines", start + hundred + "\r\n", State::complete, 204},
      {"101 lines", start + hundred + "a: b\r\n\r\n", State::malformed},
      {"32 KiB", start + line_of(32 * 1024 - 27) + "\r\n", State::complete, 204},
      {"32 KiB and a byte", start + line_of(32 * 1024 - 26) + "\r\n", State::malformed},
      {"64 KiB in one header", start + line_of(64 * 1024) + "\r\n", State::malformed},
      {"16 interim responses", repeated(interim, 16) + start + "\r\n", State::complete, 204},
      {"17 interim responses", repeated(interim, 17) + start + "\r\n", State::malformed},
      {"interim lines count", "HTTP/1.1 102 x\r\n" + hundred + "\r\n" + start + "a: b\r\n\r\n", State::malformed},
      {"interim bytes count", "HTTP/1.1 102 x\r\n" + line_of(16 * 1024) + "\r\n" + start + line_of(16 * 1024) + "\r\n",
       State::malformed},
  });
}

TEST(ResponseReader, cuts_bodies_at_the_cap) {
  const std::string kept(1024, 'x');
  const std::string cap(64 * 1024, 'x');
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  expect_all({
      {"64 KiB by length", "HTTP/1.1 200 OK\r\nContent-Length: 65536\r\n\r\n" + cap, State::complete, 200, kept},
      {"a byte more by length", "HTTP/1.1 200 OK\r\nContent-Length: 65537\r\n\r\n" + cap + "x", State::over_cap, 200,
       kept},
      {"64 KiB of more", "HTTP/1.1 200 OK\r\nContent-Length: 65537\r\n\r\n" + cap, State::reading, 200, kept},
      {"64 KiB in a chunk", chunked + "10000\r\n" + cap + "\r\n0\r\n\r\n", State::complete, 200, kept},
      {"a byte more in a chunk", chunked + "10001\r\n" + cap + "x", State::over_cap, 200, kept},
      {"a byte more in the next chunk", chunked + "10000\r\n" + cap + "\r\n1\r\nx", State::over_cap, 200, kept},
      {"a byte more until the end", "HTTP/1.1 200 OK\r\n\r\n" + cap + "x", State::over_cap, 200, kept},
      {"infinite trailers", chunked + "0\r\n" + repeated("a: b\r\n", 101), State::over_cap, 200},
      {"an infinite trailer", chunked + "0\r\na: " + std::string(32 * 1024, 'x'), State::over_cap, 200},
      {"an infinite extension", chunked + "1;" + std::string(32 * 1024, 'x'), State::over_cap, 200},
  });
}

TEST(ResponseReader, a_body_without_length_is_complete_when_the_connection_ends) {
  ResponseReader reader{ResponseLimits{}};
  const std::string bytes = "HTTP/1.1 200 OK\r\n\r\nall of it";
  EXPECT_EQ(reader.take(bytes), bytes.size());
  reader.end();
  EXPECT_EQ(reader.state(), State::complete);
  EXPECT_FALSE(reader.keeps_connection());
}

TEST(ResponseReader, an_end_completes_nothing_else) {
  for (const std::string bytes : {"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n",
                                  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"}) {
    SCOPED_TRACE(bytes);
    ResponseReader reader{ResponseLimits{}};
    reader.take(bytes);
    reader.end();
    EXPECT_EQ(reader.state(), State::reading);
  }
}

TEST(ResponseReader, an_answer_to_head_has_no_body) {
  ResponseReader reader(ResponseLimits{}, ResponseReader::To::head);
  reader.take("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(reader.state(), State::complete);
}

TEST(ResponseReader, a_header_given_twice_has_no_value) {
  ResponseReader reader{ResponseLimits{}};
  reader.take("HTTP/1.1 200 OK\r\nRetry-After: 1\r\nretry-after: 2\r\nX: y\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(reader.header("retry-after"), std::nullopt);
  EXPECT_EQ(reader.header("x"), "y");
  EXPECT_EQ(reader.header("z"), std::nullopt);
}

TEST(ResponseReader, says_whether_the_connection_may_be_used_again) {
  struct {
    std::string bytes;
    bool keeps;
  } const cases[] = {
      {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true},
      {"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n", true},
      {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", false},
      {"HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 0\r\n\r\n", false},
      {"HTTP/1.1 200 OK\r\nConnection: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", false},
      {"HTTP/1.1 200 OK\r\nConnection: closed\r\nContent-Length: 0\r\n\r\n", true},
      {"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n", false},
      {"HTTP/1.1 204 x\r\n\r\n", true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.bytes);
    ResponseReader reader{ResponseLimits{}};
    reader.take(c.bytes);
    EXPECT_EQ(reader.keeps_connection(), c.keeps);
  }
}

}  // namespace
}  // namespace semel::http
