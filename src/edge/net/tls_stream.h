// tls_stream.h: TLS over one TCP connection as a Stream, the client's side. Private to edge/net.
//
// OpenSSL works on memory only; all bytes move through the TcpStream, whose Cancel handling is thus this one's too.
// A read may leave an answer of the protocol behind (a key update); it goes out with the next write, which TLS allows.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "edge/net/tcp_stream.h"
#include "edge/net/tls_context.h"

namespace semel {

class TlsStream final : public Stream {
 public:
  // `tcp` must be connected. Fault::invalid: no certificate can carry the name. `context` must outlive the stream.
  static Result<std::unique_ptr<TlsStream>> create(TlsContext& context, std::unique_ptr<TcpStream> tcp,
                                                   const TlsName& name);
  ~TlsStream() override;

  // Once, before anything else. `cancel` must outlive the coroutine.
  Co<std::expected<Nothing, ConnectFailure>> handshake(Cancel& cancel);

  void start_read(std::span<char> into, Cancel& cancel, Done<Result<std::size_t>> done) override;
  void start_write(std::span<const char> bytes, Cancel& cancel, Done<Result<Nothing>> done) override;
  Idle idle() override;
  SocketAddress peer() const override { return tcp_->peer(); }
  void abort() override;

  bool resumed() const;

 private:
  TlsStream(TlsContext& context, std::unique_ptr<TcpStream> tcp, std::string target);
  std::optional<Result<std::size_t>> take_plain(std::span<char> into);
  void read_more(Cancel& cancel);
  void write_more(Cancel& cancel);
  void feed(std::size_t size);
  std::string take_sealed();
  ConnectFailure handshake_failure(int ssl_error);

  TlsContext& context_;
  std::unique_ptr<TcpStream> tcp_;
  std::string target_;
  TlsHandle ssl_;
  bool established_ = false;
  bool broken_ = false;

  std::span<char> read_into_;
  Done<Result<std::size_t>> read_done_;
  std::unique_ptr<std::array<char, 16 * 1024>> sealed_in_;

  std::span<const char> write_rest_;
  Done<Result<Nothing>> write_done_;
  std::string sealed_out_;
};

}  // namespace semel
