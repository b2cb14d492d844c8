// real_net.cc: the network port: connect, with TLS where asked, and listen.
#include <utility>

#include "edge/net/net.h"
#include "edge/net/tcp_listener.h"
#include "edge/net/tcp_stream.h"
#include "edge/net/tls_context.h"
#include "edge/net/tls_stream.h"
#include "port/scope.h"

namespace semel {

namespace {

using Connected = std::expected<std::unique_ptr<Stream>, ConnectFailure>;

std::unexpected<ConnectFailure> not_connected(Error error) {
  return std::unexpected(ConnectFailure{.stage = ConnectFailure::Stage::connect,
                                        .timed_out = error.fault == Fault::timed_out,
                                        .note = std::move(error.note)});
}

class RealNet final : public Net {
 public:
  RealNet(Loop& loop, std::unique_ptr<TlsContext> tls) : loop_(loop), tls_(std::move(tls)) {}

  void start_connect(ConnectRequest request, Cancel& cancel, Done<Connected> done) override {
    connecting_.spawn(connect_and_tell(std::move(request), cancel, std::move(done)));
  }

  Result<std::unique_ptr<Listener>> listen(SocketAddress at,
                                           std::move_only_function<void(std::unique_ptr<Stream>)> accepted) override {
    return listen_tcp(loop_, at, std::move(accepted));
  }

 private:
  Co<void> connect_and_tell(ConnectRequest request, Cancel& cancel, Done<Connected> done) {
    Connected connected = co_await connect(std::move(request), cancel);
    done(std::move(connected));
  }

  Co<Connected> connect(ConnectRequest request, Cancel& cancel) {
    auto opened = TcpStream::open(loop_, request.address);
    if (!opened) co_return not_connected(std::move(opened).error());
    std::unique_ptr<TcpStream> tcp = *std::move(opened);
    auto reached = co_await call<Result<Nothing>>(
        [&](Done<Result<Nothing>> done) { tcp->start_connect(cancel, std::move(done)); });
    if (!reached) co_return not_connected(std::move(reached).error());
    if (!request.tls) co_return std::move(tcp);

    auto wrapped = TlsStream::create(*tls_, std::move(tcp), *request.tls);
    if (!wrapped) {
      co_return std::unexpected(ConnectFailure{
          .stage = ConnectFailure::Stage::certificate, .timed_out = false, .note = std::move(wrapped).error().note});
    }
    std::unique_ptr<TlsStream> stream = *std::move(wrapped);
    auto shaken = co_await stream->handshake(cancel);
    if (!shaken) co_return std::unexpected(std::move(shaken).error());
    co_return std::move(stream);
  }

  Loop& loop_;
  std::unique_ptr<TlsContext> tls_;
  Scope connecting_;
};

}  // namespace

Result<std::unique_ptr<Net>> make_net(Loop& loop, const TlsOptions& options) {
  SEMEL_TRY(tls, TlsContext::create(loop, options));
  return std::make_unique<RealNet>(loop, std::move(tls));
}

}  // namespace semel
