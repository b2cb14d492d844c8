// pool.cc: keeping idle connections.
#include "http/pool.h"

#include <algorithm>
#include <utility>

#include "base/probe.h"

namespace semel::http {

Pool::~Pool() {
  if (sweep_timer_) clock_.stop_timer(*sweep_timer_);
}

std::optional<Connection> Pool::take(const ConnectionKey& key) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return std::nullopt;
  std::size_t left = found->second.size();
  while (left-- > 0) {
    const IdleList::iterator last = found->second.back();
    Connection connection = std::move(last->connection);
    drop(last);
    const bool over = is_over(connection);
    if (!over && connection.stream->idle() == Stream::Idle::quiet) return connection;
    probe::sometimes<"pool.connection_too_old">(over);
    probe::sometimes<"pool.connection_not_quiet">(!over);
  }
  return std::nullopt;
}

void Pool::put(const ConnectionKey& key, Connection connection) {
  probe::sometimes<"pool.connection_too_old_to_keep">(is_over(connection));
  if (is_over(connection)) return;
  const auto of_key = by_key_.try_emplace(key).first;
  by_age_of_use_.push_back({.key = of_key, .connection = std::move(connection)});
  of_key->second.push_back(std::prev(by_age_of_use_.end()));
  if (of_key->second.size() > limits_.per_key_max) drop(of_key->second.front());
  if (by_age_of_use_.size() > limits_.total_max) drop(by_age_of_use_.begin());
  start_sweep();
}

bool Pool::is_over(const Connection& connection) const {
  return clock_.now() - connection.connected_at >= limits_.life;
}

void Pool::drop(IdleList::iterator idle) {
  const ByKey::iterator of_key = idle->key;
  std::erase(of_key->second, idle);
  if (of_key->second.empty()) by_key_.erase(of_key);
  by_age_of_use_.erase(idle);
}

void Pool::start_sweep() {
  if (sweep_timer_) return;
  sweep_timer_ = clock_.start_timer(clock_.now() + limits_.life, [this] { sweep(); });
}

void Pool::sweep() {
  sweep_timer_.reset();
  for (auto idle = by_age_of_use_.begin(); idle != by_age_of_use_.end();) {
    const auto next = std::next(idle);
    probe::sometimes<"pool.sweeps_one">(is_over(idle->connection));
    if (is_over(idle->connection)) drop(idle);
    idle = next;
  }
  if (!by_age_of_use_.empty()) start_sweep();
}

}  // namespace semel::http
