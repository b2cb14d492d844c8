// watch.h: the messages of one connection, as they enter and leave the network, for the observer.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "sim/net/message_splitter.h"
#include "sim/net/observer.h"

namespace semel::sim {

class Watch {
 public:
  struct Names {
    std::string asker;
    std::string receiver;
  };
  Watch(NetObserver& observer, ConnectionId connection, egress::SocketAddress to, Names names)
      : observer_(observer), connection_(connection), to_(to), names_(std::move(names)) {}

  // The asker is the network itself: its requests have left before, its answers nobody reads.
  void replays() { replayed_ = true; }

  // The next event in what the asker hands to the network (as MessageSplitter::take).
  std::size_t hand_over(std::string_view bytes);
  const MessageSplitter& requests() const { return requests_; }
  std::uint64_t handed_over() const { return handed_over_; }

  // So many bytes came out at the receiver.
  void deliver_requests(std::size_t count);
  // These came out at the asker.
  void deliver_answers(std::string_view bytes);
  // Nothing more will, after an orderly end or another one.
  void answers_end();
  void answers_break();

  // Each request that has left is answered, and no other has begun.
  bool is_idle() const;

 private:
  struct UnderWay {
    std::uint64_t end;  // among all bytes of its direction
    WireRequest request;
  };
  void request_complete();
  void answer(bool complete);

  NetObserver& observer_;
  ConnectionId connection_;
  egress::SocketAddress to_;
  Names names_;
  bool replayed_ = false;

  MessageSplitter requests_{MessageSplitter::Of::requests};
  std::uint64_t handed_over_ = 0;
  std::uint32_t requests_left_ = 0;
  std::deque<bool> heads_;  // of the requests not yet answered: whether it is a HEAD
  std::uint64_t delivered_ = 0;
  std::deque<UnderWay> under_way_;

  MessageSplitter answers_{MessageSplitter::Of::answers};
  std::uint32_t answers_complete_ = 0;
  bool within_answer_ = false;
};

}  // namespace semel::sim
