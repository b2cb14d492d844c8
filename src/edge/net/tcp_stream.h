// tcp_stream.h: one TCP connection as a Stream. Private to edge/net: TLS stands on it too.
//
// A write is tried at once and mostly completes inside its start call; a read waits for the loop's news about the
// descriptor. Destroying it closes the connection and ends waiting operations without a call.
#pragma once

#include <memory>

#include "edge/os/descriptor.h"
#include "edge/os/loop.h"
#include "port/net.h"

namespace semel {

class TcpStream final : public Stream {
 public:
  // The descriptor must be non-blocking.
  static Result<std::unique_ptr<TcpStream>> adopt(Loop& loop, Descriptor connected, const SocketAddress& peer);

  // The stream is there at once and is connected when `done` says so; until then nothing else may be started.
  // Fault::unavailable, at once or through `done`: refused, unreachable, or no descriptor was free.
  static Result<std::unique_ptr<TcpStream>> open(Loop& loop, const SocketAddress& to);
  void start_connect(Cancel& cancel, Done<Result<Nothing>> done);

  ~TcpStream() override;
  void start_read(std::span<char> into, Cancel& cancel, Done<Result<std::size_t>> done) override;
  void start_write(std::span<const char> bytes, Cancel& cancel, Done<Result<Nothing>> done) override;
  Idle idle() override;
  SocketAddress peer() const override;
  void abort() override;

  // Takes what is there without waiting, at most into.size(); 0 at the end of the peer's bytes; Fault::busy when
  // nothing is there yet. No read may be waiting.
  Result<std::size_t> read_now(std::span<char> into);
  // Sends what fits without waiting and drops the rest: last words before a close. No write may be waiting.
  void write_now(std::span<const char> bytes);

 private:
  class Socket;
  explicit TcpStream(std::shared_ptr<Socket> socket);
  std::shared_ptr<Socket> socket_;
};

}  // namespace semel
