// session.h: one accepted connection: its requests, one after the other.
//
// Contract:  a request is handed over only when it is complete and well formed; the next one is read only when the
//            answer to this one was written, so a pipelining client is served in order and buffered no further than one
//            read. A bad request is answered and ends the connection.
// Bounds:    SessionOptions; every wait but the handler's has its own deadline, after which the connection is closed.
// On a crash: the client sees its connection break and has to ask; nothing is kept here.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "http/deadline.h"
#include "http/request_reader.h"
#include "http/response_writer.h"
#include "port/cancel.h"
#include "port/clock.h"
#include "port/net.h"
#include "port/serve.h"

namespace semel::http {

struct SessionOptions {
  RequestLimits request;
  milliseconds idle_within{60'000};   // for the first byte of a request
  milliseconds head_within{10'000};   // from the first byte to the end of the header section
  milliseconds body_within{30'000};   // from there to the end of the body
  milliseconds write_within{30'000};  // for an answer to be taken
};

class Session {
 public:
  // `options` and `handler` must outlive the session, and the session its run().
  Session(std::unique_ptr<Stream> stream, Clock& clock, const SessionOptions& options, HttpHandler& handler)
      : stream_(std::move(stream)), clock_(clock), options_(options), handler_(handler), watchdog_(clock, cancel_) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Co<void> run();
  // In place of run(): answers 503 whatever is asked, and ends.
  Co<void> turn_away();
  // Ends after the request under way is answered; at once when none has begun.
  void finish();
  // Ends as soon as the handler, if it is called now, has returned.
  void cut() { cancel_.request(); }

 private:
  enum class Then { next_request, close };
  Co<void> serve_requests();
  Co<bool> receive(RequestReader& reader);
  void watch(const RequestReader& reader);
  Co<Then> refuse(HttpResponse refusal);
  Co<Then> answer(HttpRequest request, bool client_keeps_connection);
  Co<bool> read();
  Co<bool> write(std::string_view text);
  Co<void> discard_until_closed();

  std::unique_ptr<Stream> stream_;
  Clock& clock_;
  const SessionOptions& options_;
  HttpHandler& handler_;
  Cancel cancel_;
  Watchdog watchdog_;
  enum class Phase { idle, head, body, answering };
  Phase phase_ = Phase::idle;
  bool finishing_ = false;
  std::array<char, 16 * 1024> buffer_;
  std::string_view unread_;  // of buffer_
};

}  // namespace semel::http
