// dial.cc: connecting, one address after the other.
#include "http/dial.h"

#include <utility>

#include "base/check.h"
#include "base/probe.h"
#include "http/deadline.h"

namespace semel::http {
namespace {

using Connected = std::expected<std::unique_ptr<Stream>, ConnectFailure>;

NoAnswer::Trouble trouble_of(ConnectFailure::Stage stage) {
  switch (stage) {
    case ConnectFailure::Stage::connect:
      return NoAnswer::Trouble::connect;
    case ConnectFailure::Stage::tls:
      return NoAnswer::Trouble::tls;
    case ConnectFailure::Stage::certificate:
      return NoAnswer::Trouble::certificate;
  }
  std::unreachable();
}

// One attempt. `total` ends it early; its own limit leaves `total` untouched.
Co<Connected> connect_once(Net& net, Clock& clock, ConnectRequest request, Cancel& total) {
  Cancel attempt;
  Deadline limit(clock, clock.now() + kConnectWithin, attempt);
  total.arm([&attempt] { attempt.request(); });
  Connected connected = co_await call<Connected>(
      [&](Done<Connected> done) { net.start_connect(std::move(request), attempt, std::move(done)); });
  total.disarm();
  limit.stop();
  co_return connected;
}

}  // namespace

NoAnswer timed_out_before_request() {
  return {.trouble = NoAnswer::Trouble::timed_out, .note = "the deadline passed before a connection was made"};
}

Co<Dialed> dial(Net& net, Clock& clock, std::vector<SocketAddress> addresses, std::optional<TlsName> tls,
                Cancel& total) {
  SEMEL_CHECK(!addresses.empty());
  NoAnswer last{.trouble = NoAnswer::Trouble::connect};
  for (const SocketAddress& address : addresses) {
    if (total.requested()) co_return std::unexpected(timed_out_before_request());
    Connected connected = co_await connect_once(net, clock, ConnectRequest{.address = address, .tls = tls}, total);
    if (connected) {
      probe::sometimes<"dial.a_further_address_connects">(&address != &addresses.front());
      if ((*connected)->peer() == address) co_return *std::move(connected);
      (*connected)->abort();
      co_return std::unexpected(NoAnswer{.trouble = NoAnswer::Trouble::denied_destination,
                                         .note = "the connection leads to another address than the checked one"});
    }
    if (total.requested()) co_return std::unexpected(timed_out_before_request());
    probe::sometimes<"dial.address_takes_too_long">(connected.error().timed_out);
    last = {.trouble = trouble_of(connected.error().stage), .note = std::move(connected.error().note)};
    if (last.trouble == NoAnswer::Trouble::certificate) break;
  }
  co_return std::unexpected(std::move(last));
}

}  // namespace semel::http
