// The server's connections in a network of memory with virtual time.
#include "http/server.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "http/response_reader.h"
#include "http/testing/memory_net.h"

namespace semel::http {
namespace {

using testing::address;
using testing::MemoryClock;
using testing::MemoryNet;
using testing::MemoryResolver;
using testing::Peer;

const SocketAddress kAt = address("127.0.0.1:7350");
const std::string kGet = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";

// Answers with method, path and body of the request, after `takes`.
struct ServerWorld {
  explicit ServerWorld(ServerOptions options = {}) {
    server =
        *serve(net, clock, clock, kAt, options, [this](HttpRequest request) { return handle(std::move(request)); });
  }
  Co<HttpResponse> handle(HttpRequest request) {
    ++handled;
    if (takes > milliseconds(0)) co_await sleep_until(clock, clock.now() + takes);
    HttpResponse answer = response;
    answer.body = request.method + " " + request.path + " " + request.body;
    co_return answer;
  }
  std::shared_ptr<Peer> client(std::string_view bytes = "") {
    std::shared_ptr<Peer> peer = net.dial_listener();
    peer->send(bytes);
    clock.settle();
    return peer;
  }

  MemoryClock clock;
  MemoryNet net{clock};
  int handled = 0;
  milliseconds takes{0};
  HttpResponse response;
  std::unique_ptr<Server> server;
};

// The bodies of the answers a client has seen, with their status, one after the other.
std::vector<std::string> answers_in(const std::string& received) {
  std::vector<std::string> answers;
  std::string_view rest = received;
  while (!rest.empty()) {
    ResponseReader reader{ResponseLimits{}};
    rest.remove_prefix(reader.take(rest));
    EXPECT_EQ(reader.state(), ResponseReader::State::complete);
    if (reader.state() != ResponseReader::State::complete) break;
    answers.push_back(std::to_string(reader.status()) + " " + reader.body());
  }
  return answers;
}

using Answers = std::vector<std::string>;

TEST(Server, answers_in_full) {
  ServerWorld world;
  world.response = {.status = 202, .headers = {{"location", "/b"}}};
  const auto peer = world.client("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}");
  EXPECT_EQ(peer->received,
            "HTTP/1.1 202 Accepted\r\nDate: Mon, 30 Nov 2026 08:05:51 GMT\r\nContent-Length: 10\r\nlocation: /b\r\n\r\n"
            "POST /a {}");
  EXPECT_FALSE(peer->closed);
}

TEST(Server, keeps_the_connection) {
  ServerWorld world;
  const auto peer = world.client(kGet);
  peer->send(kGet);
  world.clock.settle();
  EXPECT_EQ(answers_in(peer->received), (Answers{"200 GET /a ", "200 GET /a "}));
  EXPECT_FALSE(peer->closed);
}

TEST(Server, closes_when_asked_to) {
  for (const std::string request :
       {"GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "GET /a HTTP/1.0\r\nHost: x\r\n\r\n"}) {
    SCOPED_TRACE(request);
    ServerWorld world;
    const auto peer = world.client(request);
    EXPECT_EQ(answers_in(peer->received), (Answers{"200 GET /a "}));
    EXPECT_TRUE(peer->received.contains("\r\nConnection: close\r\n"));
    EXPECT_TRUE(peer->closed);
  }
}

TEST(Server, serves_pipelined_requests_one_at_a_time) {
  ServerWorld world;
  world.takes = milliseconds(10);
  const auto peer = world.client(kGet + "GET /b HTTP/1.1\r\nHost: x\r\n\r\n" + kGet);
  EXPECT_EQ(world.handled, 1);
  world.clock.run_for(milliseconds(10));
  EXPECT_EQ(world.handled, 2);
  world.clock.run_for(milliseconds(20));
  EXPECT_EQ(answers_in(peer->received), (Answers{"200 GET /a ", "200 GET /b ", "200 GET /a "}));
}

TEST(Server, refuses_bad_requests_and_closes) {
  ServerOptions options;
  options.session.request.body_max = 10;
  struct {
    std::string bytes;
    Answers answers;
  } const cases[] = {
      {"GET /a HTTP/1.1\r\n\r\n", {"400 "}},
      {"nonsense\r\n\r\n", {"400 "}},
      {"GET * HTTP/1.1\r\nHost: x\r\n\r\n", {"400 "}},
      {kGet + "nonsense\r\n\r\n", {"200 GET /a ", "400 "}},
      {"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n", {"413 "}},
      {"GET /a HTTP/1.1\r\nHost: x\r\nExpect: more\r\n\r\n", {"417 "}},
      {"GET /a HTTP/1.1\r\na: " + std::string(32 * 1024, 'x'), {"431 "}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.bytes.substr(0, 60));
    ServerWorld world(options);
    const auto peer = world.client(c.bytes);
    EXPECT_EQ(answers_in(peer->received), c.answers);
    peer->send(kGet);
    peer->end();
    world.clock.settle();
    EXPECT_EQ(answers_in(peer->received), c.answers);
    EXPECT_TRUE(peer->closed);
    EXPECT_EQ(world.server->connections(), 0u);
  }
}

TEST(Server, a_refused_client_that_goes_on_sending_is_cut_off) {
  ServerWorld world;
  const auto peer = world.client("nonsense\r\n\r\n");
  EXPECT_FALSE(peer->closed);
  world.clock.run_for(milliseconds(999));
  EXPECT_FALSE(peer->closed);
  world.clock.run_for(milliseconds(1));
  EXPECT_TRUE(peer->closed);
}

TEST(Server, says_continue_once_to_who_waits_for_it) {
  ServerWorld world;
  const auto peer = world.client("POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(peer->received, "HTTP/1.1 100 Continue\r\n\r\n");
  peer->send("{");
  world.clock.settle();
  peer->send("}");
  world.clock.settle();
  EXPECT_EQ(answers_in(peer->received), (Answers{"200 POST /a {}"}));
}

TEST(Server, waits_are_bounded) {
  struct {
    std::string name;
    std::string sent;
    int closes_after_ms;
  } const cases[] = {
      {"idle from the start", "", 60'000},
      {"half a head", "GET /a HTTP/1.1\r\n", 10'000},
      {"half a body", "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{", 30'000},
      {"idle after a request", kGet, 60'000},
      {"half a head behind a request", kGet + "G", 10'000},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    ServerWorld world;
    const auto peer = world.client(c.sent);
    world.clock.run_for(milliseconds(c.closes_after_ms - 1));
    EXPECT_FALSE(peer->closed);
    world.clock.run_for(milliseconds(1));
    EXPECT_TRUE(peer->closed);
    EXPECT_EQ(world.server->connections(), 0u);
    EXPECT_EQ(world.clock.waiting(), 0u);
  }
}

TEST(Server, a_dripped_head_does_not_move_its_deadline) {
  ServerWorld world;
  const auto peer = world.client("GET /a HTTP/1.1\r\n");
  for (int i = 0; i < 9; ++i) {
    world.clock.run_for(milliseconds(1'000));
    peer->send("a: b\r\n");
  }
  world.clock.run_for(milliseconds(999));
  EXPECT_FALSE(peer->closed);
  world.clock.run_for(milliseconds(1));
  EXPECT_TRUE(peer->closed);
}

TEST(Server, the_handler_may_take_its_time) {
  ServerWorld world;
  world.takes = milliseconds(600'000);
  const auto peer = world.client(kGet);
  world.clock.run_for(milliseconds(600'000));
  EXPECT_EQ(answers_in(peer->received), (Answers{"200 GET /a "}));
}

TEST(Server, an_answer_nobody_takes_ends_the_connection) {
  ServerWorld world;
  const auto peer = world.client();
  peer->takes = false;
  peer->send(kGet);
  world.clock.run_for(milliseconds(29'999));
  EXPECT_FALSE(peer->closed);
  world.clock.run_for(milliseconds(1));
  EXPECT_TRUE(peer->closed);
}

TEST(Server, turns_away_what_is_over_its_bound) {
  ServerOptions options;
  options.connections_max = 2;
  ServerWorld world(options);
  const auto first = world.client();
  const auto second = world.client();
  const auto third = world.client(kGet);
  EXPECT_EQ(answers_in(third->received), (Answers{"503 "}));
  EXPECT_TRUE(third->received.contains("retry-after: 1\r\n"));
  EXPECT_EQ(world.server->connections(), 2u);
  third->end();
  first->end();
  world.clock.settle();
  EXPECT_TRUE(third->closed);
  EXPECT_EQ(answers_in(world.client(kGet)->received), (Answers{"200 GET /a "}));
}

TEST(Server, turns_away_a_bounded_number_with_words) {
  ServerOptions options;
  options.connections_max = 0;
  ServerWorld world(options);
  std::vector<std::shared_ptr<Peer>> clients;
  for (int i = 0; i < 65; ++i) clients.push_back(world.client());
  EXPECT_EQ(answers_in(clients[63]->received), (Answers{"503 "}));
  EXPECT_EQ(clients[64]->received, "");
  EXPECT_TRUE(clients[64]->closed);
}

TEST(Server, a_cut_is_a_reset_without_an_answer) {
  ServerWorld world;
  world.response.fate = HttpResponse::Fate::cut_connection;
  const auto peer = world.client(kGet);
  EXPECT_EQ(world.handled, 1);
  EXPECT_EQ(peer->received, "");
  EXPECT_TRUE(peer->aborted);
}

TEST(Server, a_request_never_answered_holds_until_the_client_goes) {
  ServerWorld world;
  world.response.fate = HttpResponse::Fate::never_answer;
  const auto peer = world.client(kGet + kGet);
  world.clock.run_for(milliseconds(300'000));
  EXPECT_EQ(peer->received, "");
  EXPECT_FALSE(peer->closed);
  EXPECT_EQ(world.handled, 1);
  peer->end();
  world.clock.settle();
  EXPECT_TRUE(peer->closed);
}

TEST(Server, answers_head_without_a_body) {
  ServerWorld world;
  const auto peer = world.client("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(peer->received.contains("Content-Length: 8\r\n"));
  EXPECT_TRUE(peer->received.ends_with("\r\n\r\n"));
}

TEST(Server, a_handlers_broken_header_becomes_a_500) {
  const std::vector<std::pair<std::string, std::string>> headers[] = {
      {{"a", "b\r\nc: d"}}, {{"a b", "c"}}, {{"", "c"}}, {{"Content-Length", "1"}}, {{"connection", "close"}}};
  for (const auto& broken : headers) {
    ServerWorld world;
    world.response.headers = broken;
    EXPECT_EQ(answers_in(world.client(kGet)->received), (Answers{"500 "}));
  }
}

TEST(Server, drains) {
  ServerWorld world;
  world.takes = milliseconds(5'000);
  const auto idle = world.client();
  const auto busy = world.client(kGet);
  world.clock.run_for(milliseconds(1'000));
  const MonotonicTime start = world.clock.now();
  EXPECT_TRUE(world.clock.run(world.server->drain(milliseconds(10'000))));
  EXPECT_EQ(world.clock.now() - start, milliseconds(4'000));
  EXPECT_FALSE(world.net.listening());
  EXPECT_TRUE(idle->closed);
  EXPECT_TRUE(busy->closed);
  EXPECT_EQ(answers_in(busy->received), (Answers{"200 GET /a "}));
  EXPECT_TRUE(busy->received.contains("Connection: close\r\n"));
}

TEST(Server, draining_gives_up_in_time) {
  ServerWorld world;
  const auto half = world.client("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{");
  const MonotonicTime start = world.clock.now();
  EXPECT_FALSE(world.clock.run(world.server->drain(milliseconds(2'000))));
  EXPECT_EQ(world.clock.now() - start, milliseconds(2'000));
  world.clock.settle();
  EXPECT_TRUE(half->closed);
  EXPECT_EQ(world.server->connections(), 0u);
}

TEST(Server, draining_without_connections_is_over_at_once) {
  ServerWorld world;
  const MonotonicTime start = world.clock.now();
  EXPECT_TRUE(world.clock.run(world.server->drain(milliseconds(2'000))));
  EXPECT_EQ(world.clock.now(), start);
}

TEST(Server, a_port_in_use_is_busy) {
  ServerWorld world;
  const auto second = serve(world.net, world.clock, world.clock, kAt, {},
                            [](HttpRequest) -> Co<HttpResponse> { co_return HttpResponse{}; });
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().fault, Fault::busy);
}

}  // namespace
}  // namespace semel::http
