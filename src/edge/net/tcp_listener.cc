// tcp_listener.cc: a listening socket, and what to do when there is no descriptor left for the next connection.
#include "edge/net/tcp_listener.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "edge/net/sockaddr.h"
#include "edge/net/tcp_stream.h"
#include "edge/os/descriptor.h"
#include "edge/os/watch.h"

namespace semel {

namespace {

constexpr int kBacklog = 1024;
constexpr int kAcceptedPerTurnMax = 64;
constexpr milliseconds kWaitForDescriptors{100};

Fault fault_of(int error) {
  if (error == EADDRINUSE) return Fault::busy;
  if (error == EACCES || error == EPERM) return Fault::forbidden;
  if (error == EADDRNOTAVAIL || error == EAFNOSUPPORT) return Fault::invalid;
  return Fault::unavailable;
}

std::unexpected<Error> cannot_listen(const SocketAddress& at, int error) {
  return fail(fault_of(error),
              "cannot listen on " + egress::format_socket_address(at) + ": " + std::generic_category().message(error));
}

// These pass when connections or memory are given back; the connection stays in the backlog meanwhile.
bool is_shortage(int error) { return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM; }

class TcpListener final : public Listener {
 public:
  TcpListener(Loop& loop, Descriptor descriptor, const SocketAddress& local,
              std::move_only_function<void(std::unique_ptr<Stream>)> accepted)
      : state_(std::make_shared<State>(loop, std::move(descriptor), std::move(accepted))), local_(local) {
    state_->wait();
  }
  ~TcpListener() override { state_->end(); }

  SocketAddress local() const override { return local_; }

 private:
  // Outlives the listener while `accepted` runs, which may destroy it.
  struct State : std::enable_shared_from_this<State> {
    State(Loop& on, Descriptor listening, std::move_only_function<void(std::unique_ptr<Stream>)> callback)
        : loop(on), descriptor(std::move(listening)), accepted(std::move(callback)) {
      watch.emplace(loop, descriptor.get());
    }

    void wait() {
      watch->wait(Watch::For::reading, [this] { accept_some(); });
    }

    void accept_some() {
      const auto self = shared_from_this();
      for (int i = 0; i < kAcceptedPerTurnMax && watch; ++i) {
        SystemAddress from;
        Descriptor taken(accept4(descriptor.get(), from.data(), &from.size, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (taken) {
          hand_over(std::move(taken), from);
        } else if (is_shortage(errno)) {
          return wait_for_descriptors();
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
          break;
        }  // otherwise this connection broke before it was taken: the next one
      }
      if (watch) wait();
    }

    void hand_over(Descriptor taken, const SystemAddress& from) {
      const auto peer = from_system(from.data());
      if (!peer) return;
      if (auto stream = TcpStream::adopt(loop, std::move(taken), *peer)) accepted(*std::move(stream));
    }

    void wait_for_descriptors() {
      timer = loop.start_timer(loop.now() + kWaitForDescriptors, [this] { accept_some(); });
    }

    void end() {
      watch.reset();
      loop.stop_timer(timer);
    }

    Loop& loop;
    Descriptor descriptor;
    std::move_only_function<void(std::unique_ptr<Stream>)> accepted;
    std::optional<Watch> watch;
    TimerId timer{};
  };

  std::shared_ptr<State> state_;
  SocketAddress local_;
};

}  // namespace

Result<std::unique_ptr<Listener>> listen_tcp(Loop& loop, const SocketAddress& at,
                                             std::move_only_function<void(std::unique_ptr<Stream>)> accepted) {
  const bool v6 = at.ip.family == IpAddress::Family::v6;
  Descriptor descriptor(socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!descriptor) return cannot_listen(at, errno);
  const int on = 1;
  setsockopt(descriptor.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (v6) setsockopt(descriptor.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);

  SystemAddress local = to_system(at);
  if (bind(descriptor.get(), local.data(), local.size) != 0) return cannot_listen(at, errno);
  if (listen(descriptor.get(), kBacklog) != 0) return cannot_listen(at, errno);
  if (getsockname(descriptor.get(), local.data(), &local.size) != 0) return cannot_listen(at, errno);
  const SocketAddress bound = from_system(local.data()).value_or(at);
  return std::make_unique<TcpListener>(loop, std::move(descriptor), bound, std::move(accepted));
}

}  // namespace semel
