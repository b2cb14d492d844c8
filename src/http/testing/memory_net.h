// memory_net.h: a network in memory for tests: deterministic, on a MemoryClock, with peers that follow a script.
//
// A Peer is the other end of one connection, in the hands of the test: it sees what the code under test wrote and
// decides what that code reads. Every completion takes a turn of the clock.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "http/testing/memory_clock.h"
#include "port/net.h"

namespace semel::http::testing {

inline SocketAddress address(std::string_view text) { return *egress::parse_socket_address(text); }
inline IpAddress ip(std::string_view text) { return *egress::parse_ip(text); }

// An operation that waits; completing it or cancelling it takes one turn.
template <class R>
class Waiting {
 public:
  explicit Waiting(MemoryClock& clock) : clock_(clock) {}

  explicit operator bool() const { return static_cast<bool>(done_); }
  void begin(Cancel& cancel, Done<R> done, R when_cancelled) {
    SEMEL_CHECK(!done_);
    done_ = std::move(done);
    cancel_ = &cancel;
    if (cancel.requested()) return complete(std::move(when_cancelled));
    cancel.arm([this, cancelled = std::move(when_cancelled)]() mutable { complete(std::move(cancelled)); });
  }
  void complete(R result) {
    if (!done_) return;
    clock_.post(
        [done = std::exchange(done_, nullptr), taken = std::move(result)]() mutable { done(std::move(taken)); });
    // Last: this may be running inside what is disarmed.
    cancel_->disarm();
  }

 private:
  MemoryClock& clock_;
  Done<R> done_;
  Cancel* cancel_ = nullptr;
};

class Peer : public std::enable_shared_from_this<Peer> {
 public:
  Peer(MemoryClock& at, SocketAddress seen_as) : clock(at), address(seen_as), read_(at), write_(at) {}

  MemoryClock& clock;
  const SocketAddress address;  // what the code under test sees as its peer
  std::string received;         // everything it wrote, in total
  bool takes = true;            // false: a window of zero
  bool closed = false;          // it closed or aborted
  bool aborted = false;
  std::function<void(Peer&)> on_bytes;

  void send(std::string_view bytes) {
    inbound_ += bytes;
    feed();
  }
  void end() {
    ended_ = true;
    feed();
  }
  void reset() {
    reset_ = true;
    feed();
    write_.complete(fail(Fault::unavailable, "reset"));
  }
  // `f` runs later unless the connection was closed by then.
  void after(milliseconds wait, std::function<void(Peer&)> f) {
    clock.after(wait, [self = shared_from_this(), f = std::move(f)] {
      if (!self->closed) f(*self);
    });
  }

 private:
  friend class MemoryStream;

  void feed() {
    if (!read_) return;
    if (!inbound_.empty()) {
      const std::size_t taken = std::min(inbound_.size(), into_.size());
      std::memcpy(into_.data(), inbound_.data(), taken);
      inbound_.erase(0, taken);
      read_.complete(taken);
    } else if (reset_) {
      read_.complete(fail(Fault::unavailable, "reset"));
    } else if (ended_) {
      read_.complete(0);
    }
  }
  void write(std::string_view bytes) {
    if (reset_) return write_.complete(fail(Fault::unavailable, "reset"));
    if (!takes) return;
    received += bytes;
    write_.complete(Nothing{});
    if (on_bytes) after(milliseconds(0), [](Peer& self) { self.on_bytes(self); });
  }

  std::string inbound_;  // sent by this peer, not yet read
  bool ended_ = false;
  bool reset_ = false;
  std::span<char> into_;
  Waiting<Result<std::size_t>> read_;
  Waiting<Result<Nothing>> write_;
};

class MemoryStream final : public Stream {
 public:
  explicit MemoryStream(std::shared_ptr<Peer> peer) : peer_(std::move(peer)) {}
  ~MemoryStream() override { peer_->closed = true; }

  void start_read(std::span<char> into, Cancel& cancel, Done<Result<std::size_t>> done) override {
    peer_->into_ = into;
    peer_->read_.begin(cancel, std::move(done), fail(Fault::timed_out, "cancelled"));
    peer_->feed();
  }
  void start_write(std::span<const char> bytes, Cancel& cancel, Done<Result<Nothing>> done) override {
    peer_->write_.begin(cancel, std::move(done), fail(Fault::timed_out, "cancelled"));
    if (peer_->write_) peer_->write({bytes.data(), bytes.size()});
  }
  Idle idle() override {
    if (!peer_->inbound_.empty()) return Idle::has_bytes;
    return peer_->ended_ || peer_->reset_ ? Idle::closed : Idle::quiet;
  }
  SocketAddress peer() const override { return peer_->address; }
  void abort() override {
    peer_->closed = peer_->aborted = true;
    peer_->read_.complete(fail(Fault::unavailable, "aborted"));
    peer_->write_.complete(fail(Fault::unavailable, "aborted"));
  }

 private:
  std::shared_ptr<Peer> peer_;
};

// What happens to connects to one address.
struct Place {
  milliseconds takes{0};
  std::optional<ConnectFailure> failure;
  bool silent = false;                    // neither accepts nor refuses
  std::optional<SocketAddress> leads_to;  // the peer is another one than was asked for
  std::function<void(Peer&)> on_connect;
};

class MemoryNet final : public Net {
 public:
  explicit MemoryNet(MemoryClock& clock) : clock_(clock) {}

  std::map<SocketAddress, Place> places;
  std::vector<ConnectRequest> connects;      // asked for, in order
  std::vector<std::shared_ptr<Peer>> peers;  // of the connections made, in order

  using Connected = std::expected<std::unique_ptr<Stream>, ConnectFailure>;

  void start_connect(ConnectRequest request, Cancel& cancel, Done<Connected> done) override {
    connects.push_back(request);
    const auto place = places.find(request.address);
    SEMEL_CHECK(place != places.end());
    auto waiting = std::make_shared<Waiting<Connected>>(clock_);
    waiting->begin(cancel, std::move(done), std::unexpected(cancelled()));
    if (place->second.silent) {
      silent_.push_back(waiting);
      return;
    }
    clock_.after(place->second.takes, [this, waiting, at = request.address] { connected(*waiting, at); });
  }

  Result<std::unique_ptr<Listener>> listen(SocketAddress at,
                                           std::move_only_function<void(std::unique_ptr<Stream>)> accepted) override {
    if (accepted_) return fail(Fault::busy, "the port is in use");
    accepted_ = std::move(accepted);
    return std::make_unique<MemoryListener>(*this, at);
  }

  bool listening() const { return static_cast<bool>(accepted_); }
  // A client of the listener.
  std::shared_ptr<Peer> dial_listener() {
    auto peer = std::make_shared<Peer>(clock_, address("198.51.100.7:50000"));
    peers.push_back(peer);
    accepted_(std::make_unique<MemoryStream>(peer));
    return peer;
  }

 private:
  class MemoryListener final : public Listener {
   public:
    MemoryListener(MemoryNet& net, SocketAddress at) : net_(net), at_(at) {}
    ~MemoryListener() override { net_.accepted_ = nullptr; }
    SocketAddress local() const override { return at_; }

   private:
    MemoryNet& net_;
    SocketAddress at_;
  };

  static ConnectFailure cancelled() {
    return {.stage = ConnectFailure::Stage::connect, .timed_out = true, .note = "no connection in time"};
  }

  void connected(Waiting<Connected>& waiting, SocketAddress at) {
    if (!waiting) return;
    Place& place = places.at(at);
    if (place.failure) return waiting.complete(std::unexpected(*place.failure));
    auto peer = std::make_shared<Peer>(clock_, place.leads_to.value_or(at));
    peers.push_back(peer);
    if (place.on_connect) place.on_connect(*peer);
    waiting.complete(std::make_unique<MemoryStream>(peer));
  }

  MemoryClock& clock_;
  std::vector<std::shared_ptr<Waiting<Connected>>> silent_;
  std::move_only_function<void(std::unique_ptr<Stream>)> accepted_;
};

class MemoryResolver final : public Resolver {
 public:
  explicit MemoryResolver(MemoryClock& clock) : clock_(clock) {}

  using Answers = Result<std::vector<IpAddress>>;
  std::map<std::string, std::deque<Answers>> names;  // the answers one after the other; the last one stays
  milliseconds takes{0};
  int lookups = 0;

  void knows(const std::string& name, const std::vector<std::string>& ips) {
    std::vector<IpAddress> answer;
    for (const std::string& text : ips) answer.push_back(ip(text));
    names[name].push_back(std::move(answer));
  }
  void fails(const std::string& name, Fault fault) { names[name].push_back(fail(fault, "no answer")); }

  void start_resolve(std::string name, Cancel& cancel, Done<Answers> done) override {
    ++lookups;
    std::deque<Answers>& answers = names.at(name);
    Answers answer = answers.front();
    if (answers.size() > 1) answers.pop_front();
    auto waiting = std::make_shared<Waiting<Answers>>(clock_);
    waiting->begin(cancel, std::move(done), fail(Fault::timed_out, "cancelled"));
    clock_.after(takes, [waiting, answer = std::move(answer)] { waiting->complete(answer); });
  }

 private:
  MemoryClock& clock_;
};

}  // namespace semel::http::testing
