// hostile.cc: serving a connection with a program.
#include "sim/net/hostile.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace semel::sim {
namespace {

constexpr milliseconds kEndsWithin{60'000};
constexpr std::size_t kSendMax = 256 * 1024;

}  // namespace

HostilePeer::HostilePeer(Process& process, std::unique_ptr<Stream> stream, int connection, Draw draw)
    : process_(process),
      stream_(std::move(stream)),
      connection_(connection),
      draw_(draw),
      ends_at_(process.now() + kEndsWithin),
      may_send_(kSendMax),
      end_(process.start_timer(ends_at_, [this] { cancel_.request(); })) {}

HostilePeer::~HostilePeer() {
  process_.stop_timer(end_);
  if (pause_) process_.stop_timer(*pause_);
}

Co<bool> HostilePeer::send(std::string_view bytes) {
  if (!stream_ || bytes.size() > may_send_) co_return false;
  may_send_ -= bytes.size();
  using Written = Result<Nothing>;
  const Written written =
      co_await call<Written>([&](Done<Written> done) { stream_->start_write(bytes, cancel_, std::move(done)); });
  co_return written.has_value();
}

Co<bool> HostilePeer::drip(std::string_view bytes, std::size_t piece, milliseconds pause) {
  while (!bytes.empty()) {
    if (!co_await wait(pause) || !co_await send(bytes.substr(0, piece))) co_return false;
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  co_return true;
}

Co<bool> HostilePeer::request() {
  while (true) {
    unread_.remove_prefix(splitter_.take(unread_));
    if (splitter_.event() == MessageSplitter::Event::message) {
      ++requests_;
      co_return true;
    }
    if (splitter_.event() == MessageSplitter::Event::lost) co_return false;
    if (unread_.empty() && splitter_.event() == MessageSplitter::Event::none && !co_await read(buffer_.size()))
      co_return false;
  }
}

Co<bool> HostilePeer::read(std::size_t most) {
  if (!stream_) co_return false;
  using Read = Result<std::size_t>;
  const std::span<char> into = std::span(buffer_).first(std::min(most, buffer_.size()));
  const Read read = co_await call<Read>([&](Done<Read> done) { stream_->start_read(into, cancel_, std::move(done)); });
  unread_ = {buffer_.data(), read.value_or(0)};
  co_return !unread_.empty();
}

Co<bool> HostilePeer::wait(milliseconds time) {
  const MonotonicTime until = std::min(process_.now() + time, ends_at_);
  co_await call<Nothing>([&](Done<Nothing> done) {
    pause_ = process_.start_timer(until, [this, waiting = std::move(done)]() mutable {
      pause_.reset();
      waiting(Nothing{});
    });
  });
  co_return process_.now() < ends_at_;
}

Co<void> HostilePeer::hold() {
  while (co_await read(buffer_.size())) {
  }
}

HostileReceiver::HostileReceiver(Process& process, Net& net, SocketAddress at, const HostileProgram& program, Draw draw)
    : process_(process), program_(program), draw_(draw) {
  auto listener = net.listen(at, [this](std::unique_ptr<Stream> stream) { scope_.spawn(serve(std::move(stream))); });
  SEMEL_CHECK(listener.has_value());
  listener_ = *std::move(listener);
}

Co<void> HostileReceiver::serve(std::unique_ptr<Stream> stream) {
  const int connection = ++connections_;
  HostilePeer peer(process_, std::move(stream), connection,
                   draw_.fork("connection", static_cast<std::uint64_t>(connection)));
  co_await program_.run(peer);
}

}  // namespace semel::sim
