// pipe.cc: accepting, carrying, delivering.
#include "sim/net/pipe.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "sim/net/connection.h"

namespace semel::sim {
namespace {

constexpr PerMillion kSplit = percent(15);  // of what is handed over at once arrives in two pieces
constexpr std::size_t kDripPieces = 40;     // of what is handed over at once

constexpr std::array<std::string_view, 3> kCuts{"cut with a reset", "cut with an end", "cut in silence"};

Result<Nothing> write_cancelled() { return fail(Fault::timed_out, "cancelled"); }
Result<std::size_t> read_cancelled() { return fail(Fault::timed_out, "cancelled"); }

}  // namespace

std::string_view name_of(Break how) {
  constexpr std::array<std::string_view, 3> names{"reset", "end", "silence"};
  return names[static_cast<std::size_t>(how)];
}

Pipe::Pipe(Connection& connection, Fabric& fabric, Link& link, Pipe& back, Ends ends, Draw draw)
    : connection_(connection),
      fabric_(fabric),
      link_(link),
      back_(back),
      ends_(std::move(ends)),
      draw_(draw),
      write_(write_cancelled),
      window_(static_cast<std::size_t>(draw_.skewed(4096, 5))),
      read_(read_cancelled) {}

std::shared_ptr<Pipe> Pipe::self() { return {connection_.shared_from_this(), this}; }
std::shared_ptr<Waiting<Result<Nothing>>> Pipe::write() { return {connection_.shared_from_this(), &write_}; }
std::shared_ptr<Waiting<Result<std::size_t>>> Pipe::read() { return {connection_.shared_from_this(), &read_}; }

// At the writer.

void Pipe::start_write(std::span<const char> bytes, Cancel& cancel, Done<Result<Nothing>> done) {
  unwritten_ = bytes;
  Waiting<Result<Nothing>>::begin(write(), ends_.writer, cancel, std::move(done));
  pump();
}

void Pipe::pump() {
  if (!write_.waits()) return;
  if (writer_broken_)
    return Waiting<Result<Nothing>>::complete(write(), [] { return fail(Fault::unavailable, "the connection broke"); });
  const std::size_t room = window_ > unread_ ? window_ - unread_ : 0;
  const std::size_t count = std::min(room, unwritten_.size());
  if (count > 0) accept({unwritten_.data(), count});
  unwritten_ = unwritten_.subspan(count);
  if (unwritten_.empty()) Waiting<Result<Nothing>>::complete(write(), [] { return Nothing{}; });
}

void Pipe::accept(std::string_view bytes) {
  fabric_.trace.fold(bytes.size());
  fabric_.trace.fold(bytes);
  connection_.handed_over(*this, bytes);
  const std::uint64_t before = accepted_;
  accepted_ += bytes.size();
  unread_ += bytes.size();
  if (!cut_ || accepted_ < cut_->at) return carry(bytes);
  const Cut cut = *std::exchange(cut_, std::nullopt);
  const auto kept = static_cast<std::size_t>(cut.at - before);
  carry(bytes.substr(0, kept));
  cut_now(cut);
  if (kept < bytes.size()) carry(bytes.substr(kept));
}

void Pipe::carry(std::string_view bytes) {
  switch (carries_) {
    case Carries::all:
      break;
    case Carries::resets:
      return back_.answer_with_reset();
    case Carries::nothing:
      return;
  }
  Nanoseconds delay{0};
  while (!bytes.empty()) {
    std::size_t piece = bytes.size();
    if (drip_pause_) {
      piece = std::min<std::size_t>(bytes.size(), 1 + draw_.below(1 + 2 * bytes.size() / kDripPieces));
    } else if (!fabric_.faults.healed() && draw_.happens(kSplit)) {
      piece = 1 + draw_.below(bytes.size());
    }
    send(Chunk::What::bytes, bytes.substr(0, piece), delay);
    bytes.remove_prefix(piece);
    if (drip_pause_) delay += Nanoseconds(draw_.between(0, 2 * drip_pause_->count()));
  }
}

void Pipe::finish(Break how) {
  switch (how) {
    case Break::reset:
      if (draw_.below(4) == 0) in_flight_.clear();  // overtakes them, or they are lost and not sent again
      return send(Chunk::What::reset, {}, Nanoseconds(0));
    case Break::end:
      return send(Chunk::What::end, {}, Nanoseconds(0));
    case Break::silence:
      carries_ = Carries::nothing;
      return;
  }
}

void Pipe::answer_with_reset() { send(Chunk::What::reset, {}, back_.link_.latency()); }

void Pipe::break_writer() {
  writer_broken_ = true;
  pump();
}

void Pipe::cut_now(const Cut& cut) {
  connection_.note(kCuts[static_cast<std::size_t>(cut.how)]);
  switch (cut.how) {
    case Break::reset:
      send(Chunk::What::reset, {}, Nanoseconds(0));
      return back_.answer_with_reset();
    case Break::end:
      return send(Chunk::What::end, {}, Nanoseconds(0));
    case Break::silence:
      carries_ = Carries::nothing;
      if (cut.silences == Cut::Silences::both_ways) back_.carries_ = Carries::nothing;
      return;
  }
}

// On the way.

void Pipe::send(Chunk::What what, std::string_view bytes, Nanoseconds delay) {
  if (carries_ == Carries::nothing || (carries_ == Carries::resets && what != Chunk::What::reset)) return;
  if (what == Chunk::What::end) carries_ = Carries::resets;
  if (what == Chunk::What::reset) {
    carries_ = Carries::nothing;
    if (link_.drops_resets()) return in_flight_.clear();  // who has reset sends nothing again
  }
  const MonotonicTime due = fabric_.schedule.now() + link_.latency() + delay + connection_.more_delay();
  last_at_ = std::max(due, last_at_ + Nanoseconds(1));
  in_flight_.push_back({.at = last_at_, .what = what, .bytes = std::string(bytes)});
  await_next();
}

void Pipe::await_next() {
  if (in_flight_.empty() || held_ || next_.value != 0) return;
  next_ = fabric_.schedule.at(link_.source(), in_flight_.front().at, [pipe = self()] { pipe->deliver(); });
}

void Pipe::deliver() {
  next_ = TaskId{0};
  if (in_flight_.empty()) return;
  if (in_flight_.front().what == Chunk::What::reset && link_.drops_resets()) return in_flight_.clear();
  if (link_.is_blocked()) {
    held_ = true;
    return link_.hold([pipe = self()] {
      pipe->held_ = false;
      pipe->await_next();
    });
  }
  Chunk chunk = std::move(in_flight_.front());
  in_flight_.pop_front();
  arrive(std::move(chunk));
  await_next();
}

void Pipe::heal() {
  cut_.reset();
  drip_pause_.reset();
  if (in_flight_.empty()) return;
  last_at_ = fabric_.schedule.now() + link_.latency();
  for (Chunk& chunk : in_flight_) chunk.at = last_at_ = last_at_ + Nanoseconds(1);
  fabric_.schedule.cancel(std::exchange(next_, TaskId{0}));
  await_next();
}

void Pipe::stop() {
  in_flight_.clear();
  fabric_.schedule.cancel(std::exchange(next_, TaskId{0}));
}

// At the reader.

void Pipe::arrive(Chunk chunk) {
  switch (chunk.what) {
    case Chunk::What::bytes:
      if (reader_ == Reader::answers_reset) return back_.answer_with_reset();
      if (reader_ == Reader::ignores) return release(chunk.bytes.size());
      if (!has_unread()) {
        arrived_ = std::move(chunk.bytes);
        read_from_ = 0;
      } else {
        arrived_ += chunk.bytes;
      }
      return feed();
    case Chunk::What::end:
      connection_.note("end arrives");
      ended_ = true;
      return feed();
    case Chunk::What::reset:
      connection_.note("reset arrives");
      reset_ = true;
      in_flight_.clear();
      if (draw_.below(2) == 0) arrived_.clear();  // some systems forget what was not read, others do not
      back_.break_writer();
      return feed();
  }
}

void Pipe::start_read(std::span<char> into, Cancel& cancel, Done<Result<std::size_t>> done) {
  into_ = into;
  Waiting<Result<std::size_t>>::begin(read(), ends_.reader, cancel, std::move(done));
  feed();
}

void Pipe::feed() {
  if (!read_.waits() || !(has_unread() || ended_ || reset_ || aborted_)) return;
  Waiting<Result<std::size_t>>::complete(read(), [this] { return take(); });
}

Result<std::size_t> Pipe::take() {
  if (aborted_) return fail(Fault::unavailable, "aborted");
  if (has_unread()) {
    const std::string_view bytes = std::string_view(arrived_).substr(read_from_, into_.size());
    std::memcpy(into_.data(), bytes.data(), bytes.size());
    read_from_ += bytes.size();
    release(bytes.size());
    connection_.came_out(*this, {into_.data(), bytes.size()});
    return bytes.size();
  }
  if (reset_) {
    connection_.broke(*this);
    return fail(Fault::unavailable, "the connection was reset");
  }
  SEMEL_CHECK(ended_);
  connection_.ended(*this);
  return 0;
}

void Pipe::release(std::size_t count) {
  unread_ -= count;
  if (!write_.waits() || std::exchange(window_opens_, true)) return;
  back_.link_.travel(Nanoseconds(0), [pipe = self()] {
    pipe->window_opens_ = false;
    pipe->pump();
  });
}

Stream::Idle Pipe::idle() const {
  if (has_unread()) return Stream::Idle::has_bytes;
  return ended_ || reset_ || aborted_ ? Stream::Idle::closed : Stream::Idle::quiet;
}

void Pipe::drop_reader() {
  read_.drop();
  arrived_.clear();
  if (reader_ == Reader::there) reader_ = Reader::answers_reset;
}

void Pipe::abort_reader() {
  aborted_ = true;
  reader_ = Reader::answers_reset;
  arrived_.clear();
  feed();
}

}  // namespace semel::sim
