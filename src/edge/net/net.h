// net.h: the network port on real sockets, TLS and DNS.
//
// Operations may complete inside the call that starts them. Threads: the loop's thread only.
// Lifetime: what comes from here is destroyed before the Loop. Destroying a Net or a Resolver ends what it started
//           without a call; it must not happen inside one of its own completions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "edge/os/loop.h"
#include "port/net.h"

namespace semel {

struct TlsOptions {
  std::optional<std::string> ca_file;  // certificates in PEM, trusted beside those of the system
};

// Fault::invalid: the ca_file cannot be read or holds no certificate.
Result<std::unique_ptr<Net>> make_net(Loop& loop, const TlsOptions& options);

struct ResolverOptions {
  std::vector<SocketAddress> servers;  // empty: those of the system (/etc/resolv.conf)
  milliseconds ask_again_after{1500};  // doubles with each of three rounds over the servers
};

// Asks name servers and nothing else: no search domains, no /etc/hosts. `localhost` and names below it are answered
// here with loopback addresses (RFC 6761 section 6.3). Fault::unavailable: the name servers cannot be used.
Result<std::unique_ptr<Resolver>> make_resolver(Loop& loop, const ResolverOptions& options);

// The addresses of this machine's interfaces now.
Result<std::vector<IpAddress>> own_addresses();

}  // namespace semel
