// connection.cc: streams on two pipes, and when this connection's faults strike.
#include "sim/net/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
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
  if (connection->hosts_.asker) {
    connection->count(Side::asker);
    connection->draw_faults();
  }
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
  if (std::exchange(counted_[static_cast<std::size_t>(side)], false))
    --(side == Side::asker ? hosts_.asker->asked : hosts_.receiver->accepted);
  if (side == Side::asker) watch_.answers_break();
  if (is_open(Side::asker) || is_open(Side::receiver)) return;
  requests_.stop();
  answers_.stop();
  cancel_stale_close();
  fabric_.connections.erase(id_);  // who called holds this
}

void Connection::count(Side side) {
  Node& node = side == Side::asker ? *hosts_.asker : *hosts_.receiver;
  counted_[static_cast<std::size_t>(side)] = true;
  ++(side == Side::asker ? node.asked : node.accepted);
  fabric_.observer.connection_opened(node.name, node.asked, node.accepted);
}

void Connection::replay(std::string_view request) {
  repeats_ = true;
  open_[static_cast<std::size_t>(Side::asker)] = false;
  answers_.ignore();
  watch_.replays();
  requests_.accept(request);
  requests_.finish(Break::end);
}

void Connection::heal() {
  slowness_ = Nanoseconds(0);
  cancel_stale_close();
  requests_.heal();
  answers_.heal();
}

void Connection::handed_over(const Pipe& pipe, std::string_view bytes) {
  if (&pipe == &requests_) return hand_over_requests(bytes);
  if (!cut_answer_) return;
  for (std::size_t taken = 0; answers_.planned_cut() && !cut_answer_->lost(); bytes.remove_prefix(taken)) {
    taken = cut_answer_->take(bytes);
    cut_answer_seen_ += taken;
    if (cut_answer_->event() == MessageSplitter::Event::none) return;
    settle_cut(answers_, cut_answer_->event(), cut_answer_seen_);
  }
  cut_answer_.reset();
}

void Connection::hand_over_requests(std::string_view bytes) {
  while (!watch_.requests().lost()) {
    if (watch_.requests().between_messages() && !bytes.empty() && !repeats_) request_begins();
    const std::size_t taken = watch_.hand_over(bytes);
    if (fabric_.faults.has(FaultClass::replay)) recorded_ += bytes.substr(0, taken);
    bytes.remove_prefix(taken);
    const MessageSplitter::Event event = watch_.requests().event();
    if (event == MessageSplitter::Event::none) return;
    settle_cut(requests_, event, watch_.handed_over());
    if (event == MessageSplitter::Event::message && !repeats_) request_complete();
  }
}

void Connection::request_begins() {
  recorded_.clear();
  const bool stale = stale_at_next_use_;
  cancel_stale_close();
  if (stale) return close_stale();
  draw_cut();
  draw_blocked_link(FaultClass::clog, Link::Fault::clog);
  draw_blocked_link(FaultClass::partition, Link::Fault::partition);
}

void Connection::request_complete() {
  const MessageSplitter& request = watch_.requests();
  if (!fabric_.faults.has(FaultClass::replay) || request.method != "POST") return;
  if (std::ranges::find(request.headers, "webhook-id", &std::pair<std::string, std::string>::first) ==
      request.headers.end())
    return;
  if (auto details = fabric_.faults.strike(FaultClass::replay)) fabric_.replay(*this, recorded_, *details);
}

void Connection::draw_faults() {
  if (fabric_.faults.has(FaultClass::delay)) {
    if (auto details = fabric_.faults.strike(FaultClass::delay)) {
      slowness_ = milliseconds(details->skewed(200, 7));
      note("is slow");
    }
  }
  if (fabric_.faults.has(FaultClass::drip)) {
    if (auto details = fabric_.faults.strike(FaultClass::drip)) {
      (details->below(2) == 0 ? requests_ : answers_).drip(milliseconds(details->skewed(1, 9)));
      note("drips");
    }
  }
}

// A cut is planned when a request begins. Where a head or a message ends is only known when it is handed over.
void Connection::draw_cut() {
  if (!fabric_.faults.has(FaultClass::cut) || requests_.planned_cut() || answers_.planned_cut()) return;
  auto details = fabric_.faults.strike(FaultClass::cut);
  if (!details) return;
  const bool of_answer = details->below(2) == 0;
  constexpr std::array kWhere{CutWhere::at_byte, CutWhere::at_byte, CutWhere::head_end, CutWhere::last_byte,
                              CutWhere::message_end};
  cut_where_ = details->pick(std::span<const CutWhere>(kWhere));
  Pipe::Cut cut{.how = static_cast<Break>(details->below(3)),
                .silences = details->below(2) == 0 ? Pipe::Cut::Silences::this_way : Pipe::Cut::Silences::both_ways};
  const std::uint64_t begin = of_answer ? answers_.accepted() : watch_.handed_over();
  if (cut_where_ == CutWhere::at_byte)
    cut.at = begin + static_cast<std::uint64_t>(details->skewed(1, 12)) - 1;
  else if (of_answer)
    cut_answer_.emplace(MessageSplitter::Of::answers);
  cut_answer_seen_ = begin;
  (of_answer ? answers_ : requests_).plan_cut(cut);
}

void Connection::settle_cut(Pipe& pipe, MessageSplitter::Event event, std::uint64_t offset) {
  if (!pipe.planned_cut() || pipe.planned_cut()->at != Pipe::Cut::kNotKnownYet) return;
  const bool at_head = cut_where_ == CutWhere::head_end && event == MessageSplitter::Event::head;
  const bool at_end = cut_where_ != CutWhere::head_end && event == MessageSplitter::Event::message;
  if (at_head || at_end) pipe.planned_cut()->at = cut_where_ == CutWhere::last_byte ? offset - 1 : offset;
}

void Connection::draw_blocked_link(FaultClass fault, Link::Fault how) {
  if (!fabric_.faults.has(fault)) return;
  auto details = fabric_.faults.strike(fault);
  if (!details) return;
  Link& link = (details->below(2) == 0 ? requests_ : answers_).link();
  const milliseconds time(details->skewed(50, 10));
  note(fmt::format("{} for {} ms", semel::sim::name_of(fault), time.count()));
  link.block(how, fabric_.schedule.now() + time);
}

void Connection::came_out(const Pipe& pipe, std::string_view bytes) {
  if (&pipe == &requests_) return watch_.deliver_requests(bytes.size());
  watch_.deliver_answers(bytes);
  if (watch_.is_idle()) draw_stale_close();
}

// About when it is taken again: the end is on its way then, and meets the next request.
void Connection::draw_stale_close() {
  if (!fabric_.faults.has(FaultClass::stale_close)) return;
  auto details = fabric_.faults.strike(FaultClass::stale_close);
  if (!details) return;
  cancel_stale_close();
  stale_how_ = details->below(4) == 0 ? Break::reset : Break::end;
  stale_at_next_use_ = details->below(2) == 0;
  if (stale_at_next_use_) return;
  const MonotonicTime at = fabric_.schedule.now() + milliseconds(details->skewed(1, 15));
  stale_task_ = fabric_.schedule.at(answers_.link().source(), at, [connection = weak_from_this()] {
    if (const auto self = connection.lock()) self->close_stale();
  });
}

void Connection::cancel_stale_close() {
  stale_at_next_use_ = false;
  fabric_.schedule.cancel(std::exchange(stale_task_, TaskId{0}));
}

void Connection::close_stale() {
  stale_task_ = TaskId{0};
  note("closed while idle");
  requests_.cut_now({.how = stale_how_});
  answers_.cut_now({.how = stale_how_});
}

void Connection::ended(const Pipe& pipe) {
  if (&pipe == &answers_) watch_.answers_end();
}

void Connection::broke(const Pipe& pipe) {
  if (&pipe == &answers_) watch_.answers_break();
}

Nanoseconds Connection::more_delay() {
  if (slowness_ < milliseconds(1)) return Nanoseconds(0);
  const Nanoseconds share(draw_.between(0, slowness_.count()));
  slowness_ -= share;
  return share;
}

void Connection::note(std::string_view what) const {
  fabric_.trace.note("net", [&] {
    return fmt::format("connection {} ({} to {}): {}", id_.value, name_of(hosts_.asker), hosts_.receiver->name, what);
  });
}

}  // namespace semel::sim
