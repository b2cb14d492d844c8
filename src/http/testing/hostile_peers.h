// hostile_peers.h: receivers that mean harm, as scripts on any Net. Used by tests and by the benchmark that shows what
// a healthy receiver beside them feels.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "port/clock.h"
#include "port/net.h"
#include "port/scope.h"

namespace semel::http::testing {

// The receiving side of one connection, in the hands of a script.
class Receiver {
 public:
  Receiver(std::unique_ptr<Stream> stream, Clock& clock, Cancel& cancel)
      : stream_(std::move(stream)), clock_(clock), cancel_(cancel) {}

  // False: the other side has gone, or the script is to end.
  Co<bool> send(std::string_view bytes) {
    using Written = Result<Nothing>;
    const Written written =
        co_await call<Written>([&](Done<Written> done) { stream_->start_write(bytes, cancel_, std::move(done)); });
    co_return written.has_value();
  }
  // Reads one request whose body is the two bytes {}.
  Co<bool> request() {
    while (!unread_.contains("\r\n\r\n{}"))
      if (!co_await read()) co_return false;
    unread_.erase(0, unread_.find("\r\n\r\n{}") + 6);
    co_return true;
  }
  Co<bool> wait(milliseconds time) {
    co_await sleep_until(clock_, clock_.now() + time, cancel_);
    co_return !cancel_.requested();
  }
  // Reads whatever comes until the other side goes.
  Co<void> hold() {
    while (co_await read()) unread_.clear();
  }
  // Takes nothing until the script is to end.
  Co<void> hold_without_reading() { co_await sleep_until(clock_, clock_.now() + std::chrono::hours(1), cancel_); }
  void reset() { stream_->abort(); }

 private:
  Co<bool> read() {
    using Read = Result<std::size_t>;
    std::array<char, 4096> buffer;
    const Read read =
        co_await call<Read>([&](Done<Read> done) { stream_->start_read(std::span(buffer), cancel_, std::move(done)); });
    if (!read || *read == 0) co_return false;
    unread_.append(buffer.data(), *read);
    co_return true;
  }

  std::unique_ptr<Stream> stream_;
  Clock& clock_;
  Cancel& cancel_;
  std::string unread_;
};

// A connection's script; `connection` counts those of this receiver from 1.
using Script = std::function<Co<void>(Receiver& receiver, int connection)>;

// Listens on a free port of 127.0.0.1 and runs one script per connection.
class HostileReceiver {
 public:
  HostileReceiver(Net& net, Clock& clock, Script script) : clock_(clock), script_(std::move(script)) {
    const SocketAddress any{.ip = {.family = IpAddress::Family::v4, .bytes = {127, 0, 0, 1}}, .port = 0};
    listener_ = *net.listen(any, [this](std::unique_ptr<Stream> stream) { scope_.spawn(serve(std::move(stream))); });
  }

  SocketAddress at() const { return listener_->local(); }
  int connections() const { return connections_; }  // in total
  std::size_t open() const { return scope_.running(); }
  void stop() {
    listener_.reset();
    for (const auto& cancel : std::vector(cancels_)) cancel->request();
  }

 private:
  Co<void> serve(std::unique_ptr<Stream> stream) {
    const auto cancel = std::make_shared<Cancel>();
    cancels_.push_back(cancel);
    Receiver receiver(std::move(stream), clock_, *cancel);
    co_await script_(receiver, ++connections_);
    std::erase(cancels_, cancel);
  }

  Clock& clock_;
  Script script_;
  int connections_ = 0;
  std::vector<std::shared_ptr<Cancel>> cancels_;
  std::unique_ptr<Listener> listener_;
  Scope scope_;
};

namespace scripts {

inline Script never_reads() {
  return [](Receiver& receiver, int) { return receiver.hold_without_reading(); };
}
inline Script never_answers() {
  return [](Receiver& receiver, int) { return receiver.hold(); };
}
// Sends `first`, then `then` every `pause`, for ever.
inline Script drips(std::string first, std::string then, milliseconds pause) {
  return [=](Receiver& receiver, int) -> Co<void> {
    if (!co_await receiver.request() || !co_await receiver.send(first)) co_return;
    while (co_await receiver.wait(pause) && co_await receiver.send(then)) {
    }
  };
}
// Sends `first`, then `then` as fast as it is taken.
inline Script floods(std::string first, std::string then) {
  return [=](Receiver& receiver, int) -> Co<void> {
    if (!co_await receiver.request() || !co_await receiver.send(first)) co_return;
    while (co_await receiver.send(then)) {
    }
  };
}
// Answers each request with these bytes.
inline Script answers(std::string bytes) {
  return [=](Receiver& receiver, int) -> Co<void> {
    while (co_await receiver.request() && co_await receiver.send(bytes)) {
    }
  };
}
inline Script answers_and_resets(std::string bytes) {
  return [=](Receiver& receiver, int) -> Co<void> {
    if (!co_await receiver.request() || !co_await receiver.send(bytes) || !co_await receiver.wait(milliseconds(50)))
      co_return;
    receiver.reset();
  };
}
// Begins a TLS record and never ends it.
inline Script stalls_in_handshake() {
  return [](Receiver& receiver, int) -> Co<void> {
    if (co_await receiver.send("\x16\x03")) co_await receiver.hold();
  };
}
// Sends `now` with the answer to the first connection's first request, and answers all others with `later`.
inline Script pushes(std::string now, std::string later) {
  return [=](Receiver& receiver, int connection) -> Co<void> {
    if (!co_await receiver.request() || !co_await receiver.send(connection == 1 ? now : later)) co_return;
    while (co_await receiver.request() && co_await receiver.send(later)) {
    }
  };
}

}  // namespace scripts

}  // namespace semel::http::testing
