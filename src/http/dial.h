// dial.h: a connection to the first of some checked addresses that takes one.
//
// Contract: connects to exactly the given addresses, in order, at most 5 s each (TLS included), and only hands out a
//           stream whose peer is the address that was asked for. Nothing is looked up here.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <vector>

#include "core/retry/outcome.h"
#include "port/clock.h"
#include "port/net.h"

namespace semel::http {

inline constexpr milliseconds kConnectWithin{5'000};

using Dialed = std::expected<std::unique_ptr<Stream>, NoAnswer>;

// `addresses` must not be empty. A failed certificate check ends the search; any other failure goes on to the next
// address. The failure reported is the last one. `total` ends everything.
Co<Dialed> dial(Net& net, Clock& clock, std::vector<SocketAddress> addresses, std::optional<TlsName> tls,
                Cancel& total);

NoAnswer timed_out_before_request();

}  // namespace semel::http
