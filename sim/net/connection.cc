// connection.cc: streams on two pipes, and when this connection's faults strike.
#include "sim/net/connection.h"

#include <fmt/format.h>

#include <utility>

namespace semel::sim {
namespace {

class SimStream final : public Stream {
 public:
  SimStream(std::shared_ptr<Connection> connection, Side side) : connection_(std::move(connection)), side_(side) {}
  ~SimStream() override { connection_->close(side_); }

  void start_read(std::span<char> into, Cancel& cancel, Done<Result<std::size_t>> done) override {
    connection_->read_by(side_).start_read(into, cancel, std::move(done));
  }
  void start_write(std::span<const char> bytes, Cancel& cancel, Done<Result<Nothing>> done) override {
    connection_->written_by(side_).start_write(bytes, cancel, std::move(done));
  }
  Idle idle() override { return connection_->read_by(side_).idle(); }
  SocketAddress peer() const override {
    return side_ == Side::asker ? connection_->hosts().receiver_at : connection_->hosts().asker_at;
  }
  void abort() override { connection_->abort(side_); }

 private:
  std::shared_ptr<Connection> connection_;
  Side side_;
};

std::string name_of(const std::shared_ptr<Node>& node) { return node ? node->name : "the network"; }

}  // namespace

std::shared_ptr<Connection> Connection::make(Fabric& fabric, Hosts hosts) {
  const ConnectionId id{++fabric.last_connection};
  auto connection = std::make_shared<Connection>(fabric, id, std::move(hosts));
  fabric.connections.emplace(id, connection);
  return connection;
}

Connection::Connection(Fabric& fabric, ConnectionId id, Hosts hosts)
    : fabric_(fabric),
      id_(id),
      hosts_(std::move(hosts)),
      draw_(fabric.draw.fork("connection", id.value)),
      requests_(*this, fabric, fabric.link(hosts_.asker_at.ip, hosts_.receiver->ip), answers_,
                {.writer = hosts_.asker, .reader = hosts_.receiver}, draw_.fork("requests")),
      answers_(*this, fabric, fabric.link(hosts_.receiver->ip, hosts_.asker_at.ip), requests_,
               {.writer = hosts_.receiver, .reader = hosts_.asker}, draw_.fork("answers")),
      watch_(fabric.observer, id, hosts_.receiver_at,
             {.asker = name_of(hosts_.asker), .receiver = hosts_.receiver->name}) {}

std::unique_ptr<Stream> Connection::open(Side side) { return std::make_unique<SimStream>(shared_from_this(), side); }

void Connection::close(Side side) {
  if (!is_open(side)) return;
  Pipe& out = written_by(side);
  Pipe& in = read_by(side);
  out.finish(out.has_unsent() || in.has_unread() ? Break::reset : Break::end);
  out.drop_writer();
  in.drop_reader();
  closed(side);
}

void Connection::abort(Side side) {
  note("aborted");
  written_by(side).break_writer();
  written_by(side).finish(Break::reset);
  read_by(side).abort_reader();
}

void Connection::sever(Side side, Break how) {
  if (!is_open(side)) return;
  note(fmt::format("severed with {}", name_of(how)));
  written_by(side).finish(how);
  written_by(side).drop_writer();
  read_by(side).drop_reader();
  if (how == Break::silence) read_by(side).finish(Break::silence);
  closed(side);
}

void Connection::closed(Side side) {
  open_[static_cast<std::size_t>(side)] = false;
  if (side == Side::asker) watch_.answers_break();
  if (is_open(Side::asker) || is_open(Side::receiver)) return;
  requests_.stop();
  answers_.stop();
  fabric_.schedule.cancel(std::exchange(stale_task_, TaskId{0}));
  fabric_.connections.erase(id_);  // who called holds this
}

void Connection::heal() {
  slowness_ = Nanoseconds(0);
  stale_at_next_use_ = false;
  fabric_.schedule.cancel(std::exchange(stale_task_, TaskId{0}));
  requests_.heal();
  answers_.heal();
}

void Connection::handed_over(const Pipe& pipe, std::string_view bytes) {
  if (&pipe == &requests_) hand_over_requests(bytes);
}

void Connection::hand_over_requests(std::string_view bytes) {
  while (!watch_.requests().lost()) {
    bytes.remove_prefix(watch_.hand_over(bytes));
    if (watch_.requests().event() == MessageSplitter::Event::none) return;
  }
}

void Connection::came_out(const Pipe& pipe, std::string_view bytes) {
  if (&pipe == &requests_) return watch_.deliver_requests(bytes.size());
  watch_.deliver_answers(bytes);
}

void Connection::ended(const Pipe& pipe) {
  if (&pipe == &answers_) watch_.answers_end();
}

void Connection::broke(const Pipe& pipe) {
  if (&pipe == &answers_) watch_.answers_break();
}

Nanoseconds Connection::more_delay() { return Nanoseconds(0); }

void Connection::note(std::string_view what) {
  fabric_.trace.note("net", [&] {
    return fmt::format("connection {} ({} to {}): {}", id_.value, name_of(hosts_.asker), hosts_.receiver->name, what);
  });
}

}  // namespace semel::sim
