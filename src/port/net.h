// net.h: the network as bytes. HTTP, pool and guard are written on this (src/http), so the simulator exercises them.
//
// Every operation takes a Cancel (port/cancel.h); when it is requested the operation completes with Fault::timed_out.
// An operation may complete inside the call that starts it (call<T>() takes both). At most one read and one write of a
// stream wait at a time. Threads: the loop's thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/egress/address.h"
#include "port/cancel.h"
#include "port/co.h"

namespace semel {

using egress::IpAddress;
using egress::SocketAddress;

class Stream {
 public:
  virtual ~Stream() = default;  // closes; with unread or unsent bytes the peer may see a reset

  // At least one byte, or 0 at the orderly end of the peer's bytes. Fault::unavailable: reset or broken.
  // The buffer must live until completion.
  virtual void start_read(std::span<char> into, Cancel& cancel, Done<Result<std::size_t>> done) = 0;

  // All of `bytes`, which must live until completion. After a failure any prefix may have left.
  virtual void start_write(std::span<const char> bytes, Cancel& cancel, Done<Result<Nothing>> done) = 0;

  // What an idle connection holds, without waiting and without taking anything.
  enum class Idle { quiet, has_bytes, closed };
  virtual Idle idle() = 0;

  virtual SocketAddress peer() const = 0;

  // Ends the connection at once, so that the peer sees a reset. Waiting operations complete with Fault::unavailable.
  virtual void abort() = 0;
};

struct TlsName {
  std::string name;  // server name (SNI, RFC 6066) and the name the certificate must carry (RFC 6125); A-labels, or an
                     // IP address in text, for which no SNI is sent
};

struct ConnectFailure {
  enum class Stage {
    connect,      // refused, unreachable, reset before TLS was up, or timed out
    tls,          // the handshake failed for another reason than the certificate
    certificate,  // expired, wrong name, not trusted
  };
  Stage stage;
  bool timed_out;
  std::string note;
};

struct ConnectRequest {
  SocketAddress address;
  std::optional<TlsName> tls;
};

class Listener {
 public:
  virtual ~Listener() = default;  // stops accepting
  virtual SocketAddress local() const = 0;
};

class Net {
 public:
  virtual ~Net() = default;
  virtual void start_connect(ConnectRequest request, Cancel& cancel,
                             Done<std::expected<std::unique_ptr<Stream>, ConnectFailure>> done) = 0;
  // Calls `accepted` for each connection. Port 0 takes a free one. Fault::busy: the port is in use.
  virtual Result<std::unique_ptr<Listener>> listen(SocketAddress at,
                                                   std::move_only_function<void(std::unique_ptr<Stream>)> accepted) = 0;
};

class Resolver {
 public:
  virtual ~Resolver() = default;
  // All A and AAAA answers for a host name (never a literal address), at most kAnswersMax + 1 so that the caller can
  // see an overflow. Fault::not_found: the name has no address. Fault::unavailable: no usable answer was had.
  static constexpr std::size_t kAnswersMax = 16;
  virtual void start_resolve(std::string name, Cancel& cancel, Done<Result<std::vector<IpAddress>>> done) = 0;
};

}  // namespace semel
