// pipe.h: the bytes of one direction of a connection, from the write that hands them over to the read that takes them.
//
// Bounds:    a window of bytes that were accepted and not yet read; beyond it a write waits.
// Invariant: bytes leave in the order in which they came; what arrives at different times has strictly rising times.
#pragma once

#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/net/fabric.h"
#include "sim/net/waiting.h"

namespace semel::sim {

enum class Break : std::uint8_t { reset, end, silence };
std::string_view name_of(Break how);

class Pipe {
 public:
  struct Ends {
    std::shared_ptr<Node> writer;
    std::shared_ptr<Node> reader;
  };
  Pipe(Connection& connection, Fabric& fabric, Link& link, Pipe& back, Ends ends, Draw draw);
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  // As port/net.h says.
  void start_write(std::span<const char> bytes, Cancel& cancel, Done<Result<Nothing>> done);
  void start_read(std::span<char> into, Cancel& cancel, Done<Result<std::size_t>> done);
  Stream::Idle idle() const;

  // Takes bytes into the network without a write and without regard to the window.
  void accept(std::string_view bytes);
  std::uint64_t accepted() const { return accepted_; }
  Link& link() { return link_; }

  // Behind the bytes the reader hears an end or a reset, or nothing. Nothing is carried after that.
  void finish(Break how);
  // The writer's stream is gone: its write never completes.
  void drop_writer() { write_.drop(); }
  bool has_unsent() const { return write_.waits(); }
  // Its write fails, and all later ones.
  void break_writer();

  // The reader's stream is gone: its read never completes, and what still arrives is answered with a reset.
  void drop_reader();
  bool has_unread() const { return read_from_ < arrived_.size(); }
  // Its read fails, and all later ones.
  void abort_reader();
  // Nobody reads, and nobody minds.
  void ignore() { reader_ = Reader::ignores; }

  // Faults. A cut ends the direction once so many bytes in all were accepted.
  struct Cut {
    std::uint64_t at = kNotKnownYet;
    Break how;
    enum class Silences : std::uint8_t { this_way, both_ways } silences = Silences::this_way;

    static constexpr std::uint64_t kNotKnownYet = std::numeric_limits<std::uint64_t>::max();
  };
  void plan_cut(Cut cut) { cut_ = cut; }
  std::optional<Cut>& planned_cut() { return cut_; }
  void cut_now(const Cut& cut);
  void drip(Nanoseconds pause) { drip_pause_ = pause; }
  void heal();

  // Both ends are gone.
  void stop();

 private:
  struct Chunk {
    enum class What : std::uint8_t { bytes, end, reset };
    MonotonicTime at;
    What what;
    std::string bytes;
  };

  std::shared_ptr<Pipe> self();
  std::shared_ptr<Waiting<Result<Nothing>>> write();
  std::shared_ptr<Waiting<Result<std::size_t>>> read();

  void pump();
  void carry(std::string_view bytes);
  void send(Chunk::What what, std::string_view bytes, Nanoseconds delay);
  void answer_with_reset();
  void await_next();
  void deliver();
  void arrive(Chunk chunk);
  void feed();
  Result<std::size_t> take();
  void release(std::size_t count);

  Connection& connection_;
  Fabric& fabric_;
  Link& link_;
  Pipe& back_;
  Ends ends_;
  Draw draw_;

  // At the writer.
  Waiting<Result<Nothing>> write_;
  std::span<const char> unwritten_;
  std::size_t window_;
  std::size_t unread_ = 0;  // accepted, not yet read
  std::uint64_t accepted_ = 0;
  bool writer_broken_ = false;

  // On the way.
  enum class Carries : std::uint8_t { all, resets, nothing };
  Carries carries_ = Carries::all;
  std::optional<Cut> cut_;
  std::optional<Nanoseconds> drip_pause_;
  std::deque<Chunk> in_flight_;
  MonotonicTime last_at_;
  TaskId next_{0};
  bool held_ = false;  // by the link
  bool window_opens_ = false;

  // At the reader.
  enum class Reader : std::uint8_t { there, answers_reset, ignores };
  Reader reader_ = Reader::there;
  Waiting<Result<std::size_t>> read_;
  std::span<char> into_;
  std::string arrived_;
  std::size_t read_from_ = 0;  // in arrived_
  bool ended_ = false;
  bool reset_ = false;
  bool aborted_ = false;
};

}  // namespace semel::sim
