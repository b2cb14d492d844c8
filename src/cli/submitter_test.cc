// submitter_test.cc: one submission against a server that fails first.
#include "cli/submitter.h"

#include <gtest/gtest.h>

#include <deque>
#include <future>
#include <mutex>
#include <thread>

#include "edge/net/net.h"
#include "edge/os/loop.h"
#include "http/server.h"

namespace semel::cli {
namespace {

// Answers on a thread of its own with what stands in `answers`, one after the other, and notes each request's key and
// body.
class ScriptedServer {
 public:
  explicit ScriptedServer(std::deque<HttpResponse> answers) : answers_(std::move(answers)) {
    std::future<std::string> listening = url_.get_future();
    thread_ = std::thread([this] { serve(); });
    address_ = listening.get();
  }
  ~ScriptedServer() {
    loop_.stop();
    thread_.join();
  }
  std::string url() const { return address_; }
  std::vector<std::string> keys() {
    const std::lock_guard lock(mutex_);
    return keys_;
  }
  std::vector<std::string> bodies() {
    const std::lock_guard lock(mutex_);
    return bodies_;
  }

 private:
  void serve() {
    auto net = make_net(loop_, {});
    auto server = http::serve(**net, loop_, loop_, *egress::parse_socket_address("127.0.0.1:0"), {},
                              [this](HttpRequest request) { return answer(std::move(request)); });
    url_.set_value("http://" + egress::format_socket_address((*server)->local()));
    loop_.run();
  }
  Co<HttpResponse> answer(HttpRequest request) {
    const std::lock_guard lock(mutex_);
    keys_.emplace_back(request.header("idempotency-key").value_or("none"));
    bodies_.push_back(request.body);
    HttpResponse response = answers_.front();
    if (answers_.size() > 1) answers_.pop_front();
    co_return response;
  }

  Loop loop_;
  std::deque<HttpResponse> answers_;
  std::promise<std::string> url_;
  std::string address_;
  std::mutex mutex_;
  std::vector<std::string> keys_;
  std::vector<std::string> bodies_;
  std::thread thread_;
};

HttpResponse status(int code, std::string body = "{}") {
  return {.status = code, .headers = {}, .body = std::move(body)};
}
HttpResponse cut() {
  HttpResponse response = status(202);
  response.fate = HttpResponse::Fate::cut_connection;
  return response;
}

struct Outcome {
  Result<http::SimpleAnswer> answer;
  std::vector<std::string> keys;
  std::vector<std::string> bodies;
};

constexpr const char* kBody = R"({"type":"shipment.sent","data":{"n":1}})";

Outcome submit(std::deque<HttpResponse> answers, milliseconds patience) {
  ScriptedServer server(std::move(answers));
  ApiClient client({.url = server.url(), .key = "k", .tenant = ""});
  Submitter submitter(client, patience, [](const std::string&) {});
  auto answer = submitter.submit({.target = "/v1/events", .body = kBody, .idempotency_key = "one-key"});
  return {std::move(answer), server.keys(), server.bodies()};
}

TEST(Submitter, keeps_one_key_and_body_over_refusals_lost_answers_and_a_first_try_under_way) {
  const Outcome outcome = submit(
      {status(503), cut(), status(409, R"({"code":"IDEMPOTENCY_REQUEST_IN_PROGRESS"})"), status(429), status(202)},
      milliseconds(20'000));
  ASSERT_TRUE(outcome.answer);
  EXPECT_EQ(outcome.answer->status, 202);
  EXPECT_EQ(outcome.keys, std::vector<std::string>(5, "one-key"));
  EXPECT_EQ(outcome.bodies, std::vector<std::string>(5, kBody));
}

TEST(Submitter, does_not_repeat_what_can_never_succeed) {
  for (const int refused : {400, 401, 403, 409, 413, 422}) {
    const Outcome outcome = submit({status(refused), status(202)}, milliseconds(20'000));
    ASSERT_TRUE(outcome.answer);
    EXPECT_EQ(outcome.answer->status, refused);
    EXPECT_EQ(outcome.keys.size(), 1u) << refused;
  }
}

TEST(Submitter, gives_up_when_its_patience_ends) {
  const Outcome none = submit({status(503)}, milliseconds(0));
  EXPECT_EQ(none.answer->status, 503);
  EXPECT_EQ(none.keys.size(), 1u);
}

TEST(Submitter, waits_as_long_as_the_server_asks) {
  HttpResponse busy = status(503);
  busy.headers.emplace_back("retry-after", "3600");
  EXPECT_EQ(submit({busy, status(202)}, milliseconds(60'000)).keys.size(), 1u);
}

}  // namespace
}  // namespace semel::cli
