// Both readers under mutated messages: they never take more than they are given, and what they say does not depend on
// how the bytes were divided. What they accept is held against rules stated here a second time, in other words.
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "base/random.h"
#include "http/request_reader.h"
#include "http/response_reader.h"

namespace semel::http {
namespace {

const std::vector<std::string> kResponses = {
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nt: "
    "u\r\n\r\n",
    "HTTP/1.0 503 Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 204 No Content\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
};
const std::vector<std::string> kRequests = {
    "GET /a?b HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\n",
    "POST /v1/events HTTP/1.1\r\nHost: x:80\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}",
    "PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n1\r\na\r\n0\r\n\r\n",
};
const std::vector<std::string> kPieces = {"\r\n",
                                          "\r",
                                          "\n",
                                          " ",
                                          "\t",
                                          ":",
                                          ",",
                                          ";",
                                          "0",
                                          "-",
                                          "+",
                                          "9999999999",
                                          "Content-Length: 5\r\n",
                                          "Transfer-Encoding: chunked\r\n",
                                          "chunked",
                                          std::string(1, '\0'),
                                          "\x80",
                                          "HTTP/1.1 ",
                                          "200"};

std::string mutated(std::string text, Random& random) {
  for (std::uint64_t n = 1 + random.below(4); n > 0 && !text.empty(); --n) {
    const std::size_t at = random.below(text.size());
    switch (random.below(4)) {
      case 0:
        text[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        text.erase(at, 1 + random.below(6));
        break;
      case 2:
        text.insert(at, kPieces[random.below(kPieces.size())]);
        break;
      case 3:
        text.insert(at, text.substr(random.below(text.size()), random.below(24)));
        break;
    }
  }
  return text;
}

std::size_t feed(auto& reader, std::string_view bytes, Random& random, std::size_t piece_max) {
  std::size_t taken = 0;
  while (taken < bytes.size()) {
    const std::string_view piece = bytes.substr(taken, 1 + random.below(piece_max));
    const std::size_t n = reader.take(piece);
    EXPECT_LE(n, piece.size());
    taken += n;
    if (n < piece.size()) break;
  }
  return taken;
}

// The head of an accepted message, by a regular expression over all of it.
std::regex head_with(const char* start_line) {
  const std::string field = "[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\\t\\x20-\\x7e\\x80-\\xff]*\\r\\n";
  return std::regex("(?:" + std::string(start_line) + "\\r\\n(?:" + field + ")*\\r\\n)+");
}
const std::regex kResponseHead = head_with("HTTP/1\\.[01] [1-5][0-9][0-9] [\\t\\x20-\\x7e\\x80-\\xff]*");
const std::regex kRequestHead = head_with("[!#$%&'*+.^_`|~0-9A-Za-z-]+ /[\\x21-\\x7e]* HTTP/1\\.[01]");

bool begins_with(std::string_view text, const std::regex& head) {
  return std::regex_search(text.begin(), text.end(), head, std::regex_constants::match_continuous);
}

TEST(Mutation, responses_are_read_alike_in_any_pieces) {
  SeededRandom random(20261130);
  int accepted = 0;
  for (int i = 0; i < 60'000; ++i) {
    const std::string bytes = mutated(kResponses[random.below(kResponses.size())], random);
    ResponseReader whole{ResponseLimits{}};
    ResponseReader pieces{ResponseLimits{}};
    const std::size_t taken = feed(whole, bytes, random, bytes.size());
    const std::size_t taken_in_pieces = feed(pieces, bytes, random, 3);
    ASSERT_EQ(whole.state(), pieces.state()) << bytes;
    ASSERT_EQ(whole.head_complete(), pieces.head_complete()) << bytes;
    if (!whole.head_complete()) continue;
    ++accepted;
    ASSERT_EQ(whole.status(), pieces.status()) << bytes;
    ASSERT_EQ(whole.body(), pieces.body()) << bytes;
    ASSERT_TRUE(begins_with(bytes, kResponseHead)) << bytes;
    if (whole.state() == ResponseReader::State::complete) {
      ASSERT_EQ(taken, taken_in_pieces) << bytes;
    }
  }
  EXPECT_GT(accepted, 5'000);
}

TEST(Mutation, requests_are_read_alike_in_any_pieces) {
  SeededRandom random(20261201);
  int accepted = 0;
  for (int i = 0; i < 60'000; ++i) {
    const std::string bytes = mutated(kRequests[random.below(kRequests.size())], random);
    RequestReader whole{RequestLimits{}};
    RequestReader pieces{RequestLimits{}};
    const std::size_t taken = feed(whole, bytes, random, bytes.size());
    const std::size_t taken_in_pieces = feed(pieces, bytes, random, 3);
    ASSERT_EQ(whole.state(), pieces.state()) << bytes;
    ASSERT_EQ(whole.refusal(), pieces.refusal()) << bytes;
    if (whole.state() != RequestReader::State::complete) continue;
    ++accepted;
    ASSERT_EQ(taken, taken_in_pieces) << bytes;
    ASSERT_TRUE(begins_with(bytes, kRequestHead)) << bytes;
    const HttpRequest request = whole.take_request();
    ASSERT_EQ(request.body, pieces.take_request().body) << bytes;
    ASSERT_TRUE(request.header("host").has_value()) << bytes;
    ASSERT_FALSE(request.header("content-length") && request.header("transfer-encoding")) << bytes;
  }
  EXPECT_GT(accepted, 5'000);
}

}  // namespace
}  // namespace semel::http
