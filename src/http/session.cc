// session.cc: receive, hand over, answer, again.
#include "http/session.h"

#include <span>
#include <utility>

#include "base/probe.h"

namespace semel::http {
namespace {

constexpr milliseconds kLingerWithin{1'000};
constexpr std::size_t kLingerBytesMax = 256 * 1024;

}  // namespace

Co<void> Session::run() {
  co_await serve_requests();
  watchdog_.stop();
}

Co<void> Session::turn_away() {
  co_await refuse({.status = 503, .headers = {{"retry-after", "1"}}});
  watchdog_.stop();
}

void Session::finish() {
  finishing_ = true;
  if (phase_ == Phase::idle) cancel_.request();
}

Co<void> Session::serve_requests() {
  Then then = Then::next_request;
  while (then == Then::next_request && !finishing_) {
    RequestReader reader(options_.request);
    if (!co_await receive(reader)) co_return;
    phase_ = Phase::answering;
    if (reader.state() == RequestReader::State::refused) {
      then = co_await refuse({.status = reader.refusal()});
    } else {
      then = co_await answer(reader.take_request(), reader.keeps_connection());
    }
  }
}

// False: the connection is over.
Co<bool> Session::receive(RequestReader& reader) {
  phase_ = Phase::idle;
  watchdog_.expect_within(options_.idle_within);
  bool continued = false;
  while (true) {
    unread_.remove_prefix(reader.take(unread_));
    if (reader.state() != RequestReader::State::reading) co_return true;
    watch(reader);
    if (reader.awaits_continue() && !std::exchange(continued, true)) {
      if (!co_await write("HTTP/1.1 100 Continue\r\n\r\n")) co_return false;
    }
    if (co_await read()) continue;
    probe::sometimes<"session.idle_for_too_long">(cancel_.requested() && phase_ == Phase::idle);
    probe::sometimes<"session.head_too_slow">(cancel_.requested() && phase_ == Phase::head);
    probe::sometimes<"session.body_too_slow">(cancel_.requested() && phase_ == Phase::body);
    probe::sometimes<"session.client_leaves">(!cancel_.requested() && phase_ == Phase::idle);
    probe::sometimes<"session.client_leaves_within_a_request">(!cancel_.requested() && phase_ != Phase::idle);
    co_return false;
  }
}

void Session::watch(const RequestReader& reader) {
  if (reader.head_complete()) {
    if (std::exchange(phase_, Phase::body) != Phase::body) watchdog_.expect_within(options_.body_within);
  } else if (reader.any_byte()) {
    if (std::exchange(phase_, Phase::head) != Phase::head) watchdog_.expect_within(options_.head_within);
  }
}

Co<Session::Then> Session::refuse(HttpResponse refusal) {
  watchdog_.expect_within(options_.write_within);
  const std::string text = text_of(refusal, {.now = clock_.wall(), .closes = true});
  if (co_await write(text)) co_await discard_until_closed();
  co_return Then::close;
}

Co<Session::Then> Session::answer(HttpRequest request, bool client_keeps_connection) {
  watchdog_.rest();
  const bool to_head = request.method == "HEAD";
  const HttpResponse response = co_await handler_(std::move(request));
  switch (response.fate) {
    case HttpResponse::Fate::send:
      break;
    case HttpResponse::Fate::cut_connection:
      stream_->abort();
      co_return Then::close;
    case HttpResponse::Fate::never_answer:
      while (co_await read()) unread_ = {};
      co_return Then::close;
  }
  const bool closes = !client_keeps_connection || finishing_;
  watchdog_.expect_within(options_.write_within);
  const std::string text = text_of(response, {.now = clock_.wall(), .closes = closes, .without_body = to_head});
  const bool taken = co_await write(text);
  probe::sometimes<"session.answer_not_taken">(!taken);
  if (!taken) co_return Then::close;
  if (!closes) co_return Then::next_request;
  if (!unread_.empty()) co_await discard_until_closed();
  co_return Then::close;
}

// False: no more bytes will come.
Co<bool> Session::read() {
  using Read = Result<std::size_t>;
  const Read read =
      co_await call<Read>([&](Done<Read> done) { stream_->start_read(std::span(buffer_), cancel_, std::move(done)); });
  unread_ = std::string_view(buffer_.data(), read.value_or(0));
  co_return !unread_.empty();
}

Co<bool> Session::write(std::string_view text) {
  using Written = Result<Nothing>;
  const Written written =
      co_await call<Written>([&](Done<Written> done) { stream_->start_write(text, cancel_, std::move(done)); });
  co_return written.has_value();
}

// Closing over unread bytes could reset the connection before the client has read the answer.
Co<void> Session::discard_until_closed() {
  watchdog_.expect_within(kLingerWithin);
  std::size_t discarded = 0;
  while (discarded < kLingerBytesMax && co_await read()) discarded += unread_.size();
}

}  // namespace semel::http
