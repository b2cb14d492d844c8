// hostile.h: receivers that mean harm, as small programs on a byte stream (docs/testing.md, "Hostile receivers").
//
// Bounds:    each connection ends by itself after 60 s or 256 KiB sent, so that a world stays cheap.
// Lifetime:  process, net and program outlive the HostileReceiver; its connections close when it is destroyed.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "port/net.h"
#include "port/scope.h"
#include "sim/kernel/draw.h"
#include "sim/kernel/process.h"
#include "sim/net/message_splitter.h"

namespace semel::sim {

// One accepted connection in the hands of a program. What returns bool says false when the program is to end: the other
// side has gone, or a bound is reached.
class HostilePeer {
 public:
  HostilePeer(Process& process, std::unique_ptr<Stream> stream, int connection, Draw draw);
  ~HostilePeer();
  HostilePeer(const HostilePeer&) = delete;
  HostilePeer& operator=(const HostilePeer&) = delete;

  int connection() const { return connection_; }  // of this receiver, from 1
  int requests() const { return requests_; }      // read on this connection
  Draw& draw() { return draw_; }

  Co<bool> send(std::string_view bytes);
  // `bytes` with a pause before each `piece` of them.
  Co<bool> drip(std::string_view bytes, std::size_t piece, milliseconds pause);
  // Reads one request to its end.
  Co<bool> request();
  // Reads at most so many bytes.
  Co<bool> read(std::size_t most);
  Co<bool> wait(milliseconds time);
  // Reads whatever comes until the other side goes.
  Co<void> hold();
  void reset() { stream_->abort(); }
  void close() { stream_.reset(); }

 private:
  Process& process_;
  std::unique_ptr<Stream> stream_;
  int connection_;
  Draw draw_;
  int requests_ = 0;
  MonotonicTime ends_at_;
  std::size_t may_send_;
  MessageSplitter splitter_{MessageSplitter::Of::requests};
  std::array<char, 4096> buffer_;
  std::string_view unread_;  // of the buffer
  Cancel cancel_;
  TimerId end_;
  std::optional<TimerId> pause_;
};

struct HostileProgram {
  std::string_view name;
  std::string_view does;
  Co<void> (*run)(HostilePeer& peer);
};

std::span<const HostileProgram> hostile_programs();

class HostileReceiver {
 public:
  HostileReceiver(Process& process, Net& net, SocketAddress at, const HostileProgram& program, Draw draw);

  int connections() const { return connections_; }       // in total
  std::size_t open() const { return scope_.running(); }  // programs that still run

 private:
  Co<void> serve(std::unique_ptr<Stream> stream);

  Process& process_;
  const HostileProgram& program_;
  Draw draw_;
  int connections_ = 0;
  std::unique_ptr<Listener> listener_;
  Scope scope_;
};

}  // namespace semel::sim
