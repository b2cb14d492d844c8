// observer.h: what crosses the wires of a world, as somebody who watches every cable sees it.
//
// The watcher splits the bytes into HTTP messages by itself, with none of the product's code, so that a fault in the
// product's reader does not hide itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strong.h"
#include "core/egress/address.h"

namespace semel::sim {

using ConnectionId = Strong<struct ConnectionIdTag, std::uint64_t>;

struct WireRequest {
  ConnectionId connection;
  std::uint32_t number;  // on this connection, from 1
  egress::SocketAddress to;
  std::string method;
  std::string target;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;
  bool replayed = false;  // not from its sender: the network delivers it again

  std::string_view header(std::string_view name) const;  // of the first such line; empty when there is none
};

struct WireAnswer {
  ConnectionId connection;
  std::uint32_t number;  // of the request it answers
  int status;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;  // as far as it has come
  bool complete;     // its body has ended as its headers say
};

class NetObserver {
 public:
  virtual ~NetObserver() = default;
  // `name` is the process that asks. Called for every address it tries, whatever becomes of it.
  virtual void connect_asked(std::string_view name, const egress::SocketAddress& to) = 0;
  // `name` has an end of one more connection: so many are open there that it asked for, and that it has accepted.
  virtual void connection_opened(std::string_view name, std::size_t asked, std::size_t accepted) = 0;
  // The last byte of a request was handed to the network by `name`.
  virtual void request_left(std::string_view name, const WireRequest& request) = 0;
  // The last byte of a request came out of the network at `name`.
  virtual void request_arrived(std::string_view name, const WireRequest& request) = 0;
  // An answer came out of the network at `name`, its asker: once when its headers are complete and once more when its
  // body is complete or the connection has ended. Interim answers (1xx) are left out.
  virtual void answer_arrived(std::string_view name, const WireAnswer& answer) = 0;
};

}  // namespace semel::sim
