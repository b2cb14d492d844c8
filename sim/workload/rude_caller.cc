// rude_caller.cc: requests that have to be refused.
#include "sim/workload/rude_caller.h"

#include <fmt/core.h>

#include <array>

namespace semel::sim {
namespace {

constexpr std::string_view kSpoiled[] = {"{",
                                         "[]",
                                         R"({"type":"a b","data":{}})",
                                         R"({"type":"rude.event"})",
                                         R"({"type":"rude.event","data":{},"nobody":1})",
                                         R"({"type":"rude.event","data":{"n":1,"n":2}})"};
constexpr std::string_view kNonsense[] = {
    "GET / HTTP/1.1\r\n\r\n", "POST /v1/events HTTP/1.1\r\nhost: a\r\ncontent-length: 99999999\r\n\r\n",
    "POST /v1/events HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "nonsense\r\n\r\n"};
constexpr int kCrowd = 1'150;  // more than a server has room for and turns away

}  // namespace

RudeCaller::RudeCaller(Stage& stage)
    : stage_(stage),
      by_(stage, "rude", 4, stage.ground.draw.fork("rude caller")),
      net_(stage.ground.net.net_of(by_.host().process, client_ip(4))) {}

void RudeCaller::start() { scope_.spawn(run()); }

Co<void> RudeCaller::run() {
  co_await repeat_ids();
  co_await break_sequences();
  for (int i = 0; i < 4 && !stage_.faults_over; ++i) {
    co_await by_.host().sleep(milliseconds(by_.draw().skewed(50, 12)));
    co_await knock();
    co_await spoil_batches();
    co_await talk_nonsense();
  }
  if (by_.draw().happens(percent(10))) co_await crowd();
}

Co<void> RudeCaller::must_be_refused(std::string_view invariant, std::string method, std::string path,
                                     std::string body) {
  const Result<http::SimpleAnswer> answer =
      co_await by_.host().ask(method, path, body, {}, stage_.server.operator_key());
  if (!answer) co_return;
  if (answer->status / 100 == 2 && answer->body.contains("\"accepted_at\""))
    stage_.witness.violate(
        invariant, fmt::format("{} {} {} was answered {} {}", method, path, body, answer->status, answer->body));
}

Co<void> RudeCaller::knock() {
  co_await by_.host().ask("GET", "/v1/events", "", {}, "key_00000000000000000000000000000009.nothing");
  co_await by_.host().ask("GET", "/v1/events", "", {}, "");
  co_await must_be_refused("I-ANSWER", "GET", "/v1/nothing", "");
  co_await must_be_refused("I-ANSWER", "PUT", "/v1/events", "{}");
  for (const std::string_view body : kSpoiled)
    co_await must_be_refused("I-ANSWER", "POST", "/v1/events", std::string(body));
  co_await must_be_refused("I-BOUNDED", "POST", "/v1/events",
                           fmt::format(R"({{"type":"rude.event","data":"{}"}})", std::string(1'100'000, 'x')));
  // A key that may read, and nothing else.
  const Result<http::SimpleAnswer> made = co_await by_.host().ask(
      "POST", "/v1/keys", R"({"role":"reader","client":"rude"})", {}, stage_.server.operator_key());
  if (!made || made->status != 201) co_return;
  const std::string key = text_in(*made, "key").value();
  const Result<http::SimpleAnswer> answer =
      co_await by_.host().ask("POST", "/v1/events", R"({"type":"rude.event","data":{}})", {}, key);
  if (answer && answer->status == 202) stage_.witness.violate("I-ANSWER", "a reader's key has sent an event");
  const std::string id = key.substr(0, key.find('.'));
  const Result<http::SimpleAnswer> gone =
      co_await by_.host().ask("DELETE", "/v1/keys/" + id, "", {}, stage_.server.operator_key());
  if (!gone || gone->status != 204) co_return;
  const Result<http::SimpleAnswer> after = co_await by_.host().ask("GET", "/v1/events", "", {}, key);
  if (after && after->status == 200) stage_.witness.violate("I-ANSWER", "a deleted key still reads");
}

// What follows a refused event of its key in a batch must not be taken.
Co<void> RudeCaller::spoil_batches() {
  co_await must_be_refused("I-NO-HOLE", "POST", "/v1/events/batch",
                           R"({"events":[{"type":"a b","data":{},"ordering_key":"rude"},)"
                           R"({"type":"rude.event","data":{},"ordering_key":"rude"}]})");
  co_await must_be_refused("I-NO-HOLE", "POST", "/v1/events/batch",
                           R"({"events":[{"type":"rude.event","data":{},"ordering_key":"rude-own","sequence":77},)"
                           R"({"type":"rude.event","data":{},"ordering_key":"rude-own","sequence":78}]})");
}

// The same id again: with the same content it is known, with other content refused.
Co<void> RudeCaller::repeat_ids() {
  MadeEvent event = by_.new_event("rude.event", std::nullopt, 0, 0);
  while (event.number % 7 != 0) event = by_.new_event("rude.event", std::nullopt, 0, 0);  // those name themselves
  Submission submission = by_.new_submission();
  submission.events = {event};
  co_await by_.submit(submission);
  Submission again = by_.new_submission();
  again.events = {event};
  co_await by_.submit(again);
  co_await must_be_refused(
      "I-IDEM-FP", "POST", "/v1/events",
      fmt::format(R"({{"type":"rude.event","data":{{"other":1}},"id":"own-rude-{}"}})", event.number));
}

Co<void> RudeCaller::break_sequences() {
  for (const std::string key : {"rude-semel", "rude-own"}) {
    if (key == "rude-own") by_.number_by_producer(key);
    Submission submission = by_.new_submission();
    submission.events.push_back(by_.new_event("rude.event", key, 0, 0));
    co_await by_.submit(std::move(submission));
  }
  const auto refused = [this](std::string_view members) {
    return must_be_refused("I-NO-HOLE", "POST", "/v1/events",
                           fmt::format(R"({{"type":"rude.event","data":{{}},{}}})", members));
  };
  co_await refused(R"("ordering_key":"rude-semel","sequence":2)");
  co_await refused(R"("ordering_key":"rude-own","sequence":9)");
  co_await refused(R"("ordering_key":"rude-own")");
}

Co<void> RudeCaller::talk_nonsense() {
  for (const std::string_view bytes : kNonsense) co_await say(bytes);
  co_await say("GET /v1/events HTTP/1.1\r\nhost: a\r\nx: " + std::string(70'000, 'x') + "\r\n\r\n");
}

Co<std::unique_ptr<Stream>> RudeCaller::connect(Cancel& cancel) {
  using Connected = std::expected<std::unique_ptr<Stream>, ConnectFailure>;
  Connected stream = co_await call<Connected>([&](Done<Connected> done) {
    net_->start_connect({.address = {server_ip(), kServerPort}, .tls = {}}, cancel, std::move(done));
  });
  if (!stream) co_return nullptr;
  co_return *std::move(stream);
}

Co<void> RudeCaller::say(std::string_view bytes) {
  Process& process = by_.host().process;
  Cancel cancel;
  const TimerId patience = process.start_timer(process.now() + milliseconds(5'000), [&cancel] { cancel.request(); });
  if (const std::unique_ptr<Stream> stream = co_await connect(cancel)) {
    using Written = Result<Nothing>;
    using Read = Result<std::size_t>;
    co_await call<Written>([&](Done<Written> done) { stream->start_write(bytes, cancel, std::move(done)); });
    std::array<char, 1'024> answer{};
    co_await call<Read>([&](Done<Read> done) { stream->start_read(answer, cancel, std::move(done)); });
  }
  process.stop_timer(patience);
}

// All connections that there are, and then some.
Co<void> RudeCaller::crowd() {
  Process& process = by_.host().process;
  std::vector<std::unique_ptr<Stream>> open;
  Cancel cancel;
  const TimerId patience = process.start_timer(process.now() + milliseconds(20'000), [&cancel] { cancel.request(); });
  for (int i = 0; i < kCrowd && !cancel.requested(); ++i)
    if (std::unique_ptr<Stream> stream = co_await connect(cancel)) open.push_back(std::move(stream));
  process.stop_timer(patience);
}

}  // namespace semel::sim
