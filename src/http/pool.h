// pool.h: idle connections, kept for the next request of the same owner to the same place.
//
// Invariant: a connection is only given to the key it was put under; it is at most `life` old, counted from its
//            connect, so that names are resolved and checked again; and it was quiet at that moment: one that holds a
//            byte nobody asked for, or was closed, is dropped.
// Bounds:    per_key_max and total_max idle connections, the one idle for longest goes first; those past their life go
//            within a further `life` even if nobody asks.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/egress/url.h"
#include "port/clock.h"
#include "port/exchange.h"
#include "port/net.h"

namespace semel::http {

struct ConnectionKey {
  PoolKey owner;
  egress::Scheme scheme;
  std::string host;
  std::uint16_t port;
  friend auto operator<=>(const ConnectionKey&, const ConnectionKey&) = default;
};

struct Connection {
  std::unique_ptr<Stream> stream;
  MonotonicTime connected_at;
};

struct PoolLimits {
  std::size_t per_key_max = 256;
  std::size_t total_max = 4096;
  milliseconds life{60'000};
};

class Pool {
 public:
  Pool(Clock& clock, PoolLimits limits) : clock_(clock), limits_(limits) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();  // the clock must still be there

  // The connection of this key that was used last, if a usable one is left.
  std::optional<Connection> take(const ConnectionKey& key);
  void put(const ConnectionKey& key, Connection connection);
  std::size_t idle() const { return by_age_of_use_.size(); }

 private:
  struct Idle;
  using IdleList = std::list<Idle>;  // idle for longest first
  using ByKey = std::map<ConnectionKey, std::deque<IdleList::iterator>>;
  struct Idle {
    ByKey::iterator key;
    Connection connection;
  };

  bool is_over(const Connection& connection) const;
  void drop(IdleList::iterator idle);
  void start_sweep();
  void sweep();

  Clock& clock_;
  PoolLimits limits_;
  IdleList by_age_of_use_;
  ByKey by_key_;
  std::optional<TimerId> sweep_timer_;
};

}  // namespace semel::http
