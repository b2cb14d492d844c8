// tcp_stream.cc: a socket whose operations know how they end: by the kernel, by their Cancel, by abort, or not at all.
#include "edge/net/tcp_stream.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "edge/net/sockaddr.h"

namespace semel {

namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

std::unexpected<Error> broken(int error) { return fail(Fault::unavailable, std::generic_category().message(error)); }

std::unexpected<Error> cancelled() { return fail(Fault::timed_out, "the deadline has passed"); }

bool is_not_ready(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

// One operation that waits. Its done is taken out before it is called, so that it may start the next one.
template <class T>
struct Waiting {
  Done<Result<T>> done;
  Cancel* cancel = nullptr;
  bool cancel_requested = false;

  void begin(Done<Result<T>> when_done, Cancel& with) {
    SEMEL_CHECK(!done);
    done = std::move(when_done);
    cancel = &with;
    cancel_requested = false;
  }
  void end(Result<T> result) {
    if (cancel != nullptr) std::exchange(cancel, nullptr)->disarm();
    std::exchange(done, nullptr)(std::move(result));
  }
  // The Cancel may be gone already when a whole frame is dropped, so it is not touched.
  void drop() {
    done = nullptr;
    cancel = nullptr;
  }
};

}  // namespace

// Shared with the operations under way in Asio, which may come back after the TcpStream has gone.
class TcpStream::Socket : public std::enable_shared_from_this<Socket> {
 public:
  Socket(Loop& loop, const SocketAddress& peer) : loop_(loop), asio_(loop.io()), peer_(peer) {}

  Result<void> assign(Descriptor descriptor) {
    const int on = 1;
    setsockopt(descriptor.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    error_code error;
    asio_.assign(peer_.ip.family == IpAddress::Family::v4 ? tcp::v4() : tcp::v6(), descriptor.get(), error);
    if (error) return broken(error.value());
    descriptor.release();
    return {};
  }

  void start_connect(Cancel& cancel, Done<Result<Nothing>> done) {
    if (cancel.requested()) return done(cancelled());
    const SystemAddress to = to_system(peer_);
    if (::connect(asio_.native_handle(), to.data(), to.size) == 0) {
      note_peer();
      return done(Nothing{});
    }
    if (errno != EINPROGRESS && errno != EINTR) return done(broken(errno));
    write_.begin(std::move(done), cancel);
    cancel.arm([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->cancel(self->write_);
    });
    wait_connected();
  }

  void start_read(std::span<char> into, Cancel& cancel, Done<Result<std::size_t>> done) {
    if (cancel.requested()) return done(cancelled());
    if (aborted_) return done(broken(ECONNABORTED));
    read_.begin(std::move(done), cancel);
    read_into_ = into;
    cancel.arm([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->cancel(self->read_);
    });
    wait_read();
  }

  void start_write(std::span<const char> bytes, Cancel& cancel, Done<Result<Nothing>> done) {
    if (cancel.requested()) return done(cancelled());
    if (aborted_) return done(broken(ECONNABORTED));
    SEMEL_CHECK(!write_.done);
    const Result<std::size_t> sent = send_now(bytes);
    const bool completed = !sent || *sent == bytes.size();
    if (completed && loop_.may_complete_inline()) {
      return done(sent ? Result<Nothing>(Nothing{}) : std::unexpected(sent.error()));
    }
    write_.begin(std::move(done), cancel);
    if (completed) {
      loop_.post([self = shared_from_this(), sent] {
        if (self->write_.done) self->write_.end(sent ? Result<Nothing>(Nothing{}) : std::unexpected(sent.error()));
      });
      return;
    }
    write_rest_ = bytes.subspan(*sent);
    cancel.arm([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->cancel(self->write_);
    });
    wait_written();
  }

  Idle idle() {
    if (aborted_) return Idle::closed;
    char byte = 0;
    const ssize_t got = recv(asio_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (got > 0) return Idle::has_bytes;
    return got < 0 && is_not_ready(errno) ? Idle::quiet : Idle::closed;
  }

  Result<std::size_t> read_now(std::span<char> into) {
    if (aborted_) return broken(ECONNABORTED);
    const ssize_t got = recv(asio_.native_handle(), into.data(), into.size(), MSG_DONTWAIT);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (is_not_ready(errno)) return fail(Fault::busy, "nothing has come yet");
    return broken(errno);
  }

  // How many bytes left without waiting.
  Result<std::size_t> send_now(std::span<const char> bytes) {
    if (aborted_) return broken(ECONNABORTED);
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t n =
          send(asio_.native_handle(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && is_not_ready(errno)) break;
      if (n < 0) return broken(errno);
      sent += static_cast<std::size_t>(n);
    }
    return sent;
  }

  void abort() {
    if (std::exchange(aborted_, true)) return;
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    setsockopt(asio_.native_handle(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close_descriptor();
  }

  void close() {
    read_.drop();
    write_.drop();
    if (!std::exchange(aborted_, true)) close_descriptor();
  }

  SocketAddress peer() const { return peer_; }

 private:
  void close_descriptor() {
    error_code ignored;
    asio_.close(ignored);
  }

  // Asio cancels both directions of a socket; the other one starts again (see interrupted).
  template <class T>
  void cancel(Waiting<T>& waiting) {
    if (!waiting.done) return;
    waiting.cancel_requested = true;
    error_code ignored;
    asio_.cancel(ignored);
  }

  // Why an operation that Asio gave up came back; nullopt when it was not meant and has to start again.
  template <class T>
  std::optional<std::unexpected<Error>> interrupted(const Waiting<T>& waiting) const {
    if (waiting.cancel_requested) return cancelled();
    if (aborted_) return broken(ECONNABORTED);
    return std::nullopt;
  }

  void wait_read() {
    asio_.async_read_some(boost::asio::buffer(read_into_.data(), read_into_.size()),
                          [self = shared_from_this()](const error_code& error, std::size_t size) {
                            if (self->read_.done) self->on_read(error, size);
                          });
  }
  void on_read(const error_code& error, std::size_t size) {
    if (!error) return read_.end(size);
    if (error == boost::asio::error::eof) return read_.end(std::size_t{0});
    if (error != boost::asio::error::operation_aborted) return read_.end(broken(error.value()));
    if (auto why = interrupted(read_)) return read_.end(*std::move(why));
    wait_read();
  }

  void wait_written() {
    asio_.async_write_some(boost::asio::buffer(write_rest_.data(), write_rest_.size()),
                           [self = shared_from_this()](const error_code& error, std::size_t size) {
                             if (self->write_.done) self->on_written(error, size);
                           });
  }
  void on_written(const error_code& error, std::size_t size) {
    if (error == boost::asio::error::operation_aborted) {
      if (auto why = interrupted(write_)) return write_.end(*std::move(why));
    } else if (error) {
      return write_.end(broken(error.value()));
    }
    write_rest_ = write_rest_.subspan(size);
    if (write_rest_.empty()) return write_.end(Nothing{});
    wait_written();
  }

  void wait_connected() {
    asio_.async_wait(tcp::socket::wait_write, [self = shared_from_this()](const error_code& error) {
      if (self->write_.done) self->on_connected(error);
    });
  }
  void on_connected(const error_code& error) {
    if (error == boost::asio::error::operation_aborted) {
      if (auto why = interrupted(write_)) return write_.end(*std::move(why));
      return wait_connected();
    }
    int trouble = error.value();
    socklen_t size = sizeof trouble;
    if (trouble == 0) getsockopt(asio_.native_handle(), SOL_SOCKET, SO_ERROR, &trouble, &size);
    if (trouble != 0) return write_.end(broken(trouble));
    note_peer();
    write_.end(Nothing{});
  }

  // Who really answers is what the kernel says, not what was asked for.
  void note_peer() {
    SystemAddress at;
    if (getpeername(asio_.native_handle(), at.data(), &at.size) != 0) return;
    if (const auto peer = from_system(at.data())) peer_ = *peer;
  }

  Loop& loop_;
  tcp::socket asio_;
  SocketAddress peer_;
  bool aborted_ = false;  // or closed: the descriptor is gone
  Waiting<std::size_t> read_;
  std::span<char> read_into_;
  Waiting<Nothing> write_;  // or connect
  std::span<const char> write_rest_;
};

TcpStream::TcpStream(std::shared_ptr<Socket> socket) : socket_(std::move(socket)) {}

TcpStream::~TcpStream() { socket_->close(); }

Result<std::unique_ptr<TcpStream>> TcpStream::adopt(Loop& loop, Descriptor connected, const SocketAddress& peer) {
  auto socket = std::make_shared<Socket>(loop, peer);
  SEMEL_TRY_VOID(socket->assign(std::move(connected)));
  return std::unique_ptr<TcpStream>(new TcpStream(std::move(socket)));
}

Result<std::unique_ptr<TcpStream>> TcpStream::open(Loop& loop, const SocketAddress& to) {
  const int family = to.ip.family == IpAddress::Family::v4 ? AF_INET : AF_INET6;
  Descriptor descriptor(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!descriptor) return broken(errno);
  return adopt(loop, std::move(descriptor), to);
}

void TcpStream::start_connect(Cancel& cancel, Done<Result<Nothing>> done) {
  socket_->start_connect(cancel, std::move(done));
}

void TcpStream::start_read(std::span<char> into, Cancel& cancel, Done<Result<std::size_t>> done) {
  socket_->start_read(into, cancel, std::move(done));
}

void TcpStream::start_write(std::span<const char> bytes, Cancel& cancel, Done<Result<Nothing>> done) {
  socket_->start_write(bytes, cancel, std::move(done));
}

Stream::Idle TcpStream::idle() { return socket_->idle(); }

SocketAddress TcpStream::peer() const { return socket_->peer(); }

void TcpStream::abort() { socket_->abort(); }

Result<std::size_t> TcpStream::read_now(std::span<char> into) { return socket_->read_now(into); }

void TcpStream::write_now(std::span<const char> bytes) { static_cast<void>(socket_->send_now(bytes)); }

}  // namespace semel
