// connection.h: two pipes, the watch over their messages, and the faults of this connection.
//
// Lifetime:  lives in Fabric::connections until both its ends are closed, then as long as a stream or a task holds it.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "sim/net/pipe.h"
#include "sim/net/watch.h"

namespace semel::sim {

enum class Side : std::uint8_t { asker, receiver };

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  struct Hosts {
    std::shared_ptr<Node> asker;  // null: the network itself repeats a request
    std::shared_ptr<Node> receiver;
    SocketAddress asker_at;
    SocketAddress receiver_at;
  };
  Connection(Fabric& fabric, ConnectionId id, Hosts hosts);
  // Known to the fabric from now on.
  static std::shared_ptr<Connection> make(Fabric& fabric, Hosts hosts);

  ConnectionId id() const { return id_; }
  const Hosts& hosts() const { return hosts_; }
  std::unique_ptr<Stream> open(Side side);
  // The receiver's process has taken its stream.
  void accepted() { count(Side::receiver); }

  // What one side writes and the other reads.
  Pipe& written_by(Side side) { return side == Side::asker ? requests_ : answers_; }
  Pipe& read_by(Side side) { return side == Side::asker ? answers_ : requests_; }

  // Its stream is destroyed.
  void close(Side side);
  void abort(Side side);
  // Its process was killed.
  void sever(Side side, Break how);
  bool is_open(Side side) const { return open_[static_cast<std::size_t>(side)]; }

  // The network sends this request once more, and nobody reads the answer.
  void replay(std::string_view request);

  void heal();

  // Called by its pipes.
  void handed_over(const Pipe& pipe, std::string_view bytes);
  void came_out(const Pipe& pipe, std::string_view bytes);
  void ended(const Pipe& pipe);
  void broke(const Pipe& pipe);
  Nanoseconds more_delay();
  void note(std::string_view what) const;

 private:
  void draw_faults();
  void hand_over_requests(std::string_view bytes);
  void request_begins();
  void request_complete();
  void draw_cut();
  void draw_blocked_link(FaultClass fault, Link::Fault how);
  void settle_cut(Pipe& pipe, MessageSplitter::Event event, std::uint64_t offset);
  void draw_stale_close();
  void cancel_stale_close();
  void close_stale();
  void closed(Side side);
  void count(Side side);

  Fabric& fabric_;
  ConnectionId id_;
  Hosts hosts_;
  Draw draw_;
  std::array<bool, 2> open_{true, true};
  std::array<bool, 2> counted_{};  // by its node
  Pipe requests_;
  Pipe answers_;
  Watch watch_;
  bool repeats_ = false;

  Nanoseconds slowness_{0};  // left to spend
  enum class CutWhere : std::uint8_t { at_byte, head_end, last_byte, message_end };
  CutWhere cut_where_ = CutWhere::at_byte;
  std::optional<MessageSplitter> cut_answer_;  // looks for the place at which an answer is cut
  std::uint64_t cut_answer_seen_ = 0;
  std::string recorded_;  // of the request at hand, when it may be replayed
  bool stale_at_next_use_ = false;
  Break stale_how_ = Break::end;
  TaskId stale_task_{0};
};

}  // namespace semel::sim
