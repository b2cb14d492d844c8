// message_splitter_test.cc: messages are found however the bytes are cut, and garbage ends the watch.
#include "sim/net/message_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/kernel/draw.h"

namespace semel::sim {
namespace {

using ::testing::ElementsAre;
using Event = MessageSplitter::Event;
using Of = MessageSplitter::Of;

// Feeds `bytes` in drawn pieces and tells the messages, then what is left over.
std::vector<std::string> split(Of of, std::string_view bytes, Draw draw) {
  MessageSplitter splitter(of);
  std::vector<std::string> found;
  while (!bytes.empty()) {
    std::string_view piece = bytes.substr(0, 1 + draw.below(bytes.size()));
    bytes.remove_prefix(piece.size());
    while (true) {
      piece.remove_prefix(splitter.take(piece));
      if (splitter.event() == Event::none) break;
      if (splitter.event() == Event::lost) {
        found.emplace_back("lost");
        return found;
      }
      if (splitter.event() == Event::message)
        found.push_back((of == Of::requests ? splitter.method : std::to_string(splitter.status)) + " " + splitter.body);
    }
  }
  if (!splitter.between_messages()) found.emplace_back("unfinished");
  return found;
}

TEST(MessageSplitter, finds_the_same_messages_in_any_pieces) {
  const std::string requests =
      "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
      "GET /b HTTP/1.1\r\nHost: x\r\n\r\n"
      "PUT /c HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nX: y\r\n\r\n"
      "DELETE /d HTTP/1.1\r\nContent-Length: 0\r\n\r\n";
  const std::string answers =
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length:  2\t\r\n\r\nok"
      "HTTP/1.1 204 None\r\n\r\n"
      "HTTP/1.1 304 Same\r\nContent-Length: 7\r\n\r\n"
      "HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n";
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    ASSERT_THAT(split(Of::requests, requests, Draw(seed, "pieces")),
                ElementsAre("POST hello", "GET ", "PUT abc0123456789", "DELETE "))
        << seed;
    ASSERT_THAT(split(Of::answers, answers, Draw(seed, "pieces")), ElementsAre("200 ok", "204 ", "304 ", "500 x"))
        << seed;
  }
}

TEST(MessageSplitter, tells_headers_with_names_in_lower_case_and_trimmed_values) {
  MessageSplitter splitter(Of::requests);
  const std::string_view text = "POST /a?b HTTP/1.1\r\nWebhook-ID:\t evt_1 \r\nX:\r\n\r\n";
  EXPECT_EQ(splitter.take(text), text.size());
  EXPECT_EQ(splitter.event(), Event::head);
  EXPECT_EQ(splitter.target, "/a?b");
  EXPECT_THAT(splitter.headers, ElementsAre(std::pair{"webhook-id", "evt_1"}, std::pair{"x", ""}));
}

TEST(MessageSplitter, takes_no_byte_of_the_next_message) {
  MessageSplitter splitter(Of::requests);
  const std::string_view text = "GET / HTTP/1.1\r\n\r\nGET /next";
  EXPECT_EQ(splitter.take(text), 18u);
  splitter.take("GET /next");
  EXPECT_EQ(splitter.event(), Event::message);
}

TEST(MessageSplitter, an_answer_to_head_has_no_body) {
  MessageSplitter splitter(Of::answers);
  splitter.expect_no_body();
  const std::string_view text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
  splitter.take(text);
  splitter.take("");
  EXPECT_EQ(splitter.event(), Event::message);
}

TEST(MessageSplitter, a_body_without_length_lasts_until_the_end) {
  MessageSplitter splitter(Of::answers);
  splitter.take("HTTP/1.1 200 OK\r\n\r\n");
  splitter.take("all of it");
  EXPECT_EQ(splitter.event(), Event::none);
  EXPECT_EQ(splitter.end(), Event::message);
  EXPECT_EQ(splitter.body, "all of it");
}

TEST(MessageSplitter, an_end_within_a_message_loses_it) {
  MessageSplitter splitter(Of::answers);
  splitter.take("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
  splitter.take("hal");
  EXPECT_EQ(splitter.end(), Event::lost);
}

TEST(MessageSplitter, what_is_not_http_is_lost) {
  const std::string_view of_answers[] = {
      "\x15\x03\x03 alert\r\n\r\n",
      "HTTP/1.1 99 Low\r\n\r\n",
      "HTTP/1.1 101 Switching\r\n\r\n",
      "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok",
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxx\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\nx\n",
  };
  for (const std::string_view text : of_answers)
    EXPECT_THAT(split(Of::answers, text, Draw(1, "pieces")), ElementsAre("lost")) << text;
  EXPECT_THAT(split(Of::answers, std::string(300'000, 'x'), Draw(1, "pieces")), ElementsAre("lost"));
}

TEST(MessageSplitter, bytes_of_chance_are_split_alike_in_whatever_pieces_they_come) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Draw draw(seed, "garbage");
    std::string text;
    constexpr std::string_view kPieces[] = {"HTTP/1.1 200 OK",
                                            "\r\n",
                                            "\n",
                                            "\r\n\r\n",
                                            ":",
                                            "Content-Length: 3",
                                            "Transfer-Encoding: chunked",
                                            "3",
                                            "0",
                                            "xyz",
                                            " ",
                                            "POST / HTTP/1.1"};
    for (int i = 0; i < 30; ++i) text += draw.pick(std::span<const std::string_view>(kPieces));
    for (const Of of : {Of::answers, Of::requests})
      EXPECT_EQ(split(of, text, draw.fork("pieces")), split(of, text, draw.fork("other pieces"))) << text;
  }
}

}  // namespace
}  // namespace semel::sim
