// floor_store.h: the SQLite half of the floor: one writer thread that commits everything queued, and a checkpoint
// thread.
//
// The rows are those that semel writes: event, delivery, attempt, outcome. The attempt goes in with its outcome, after
// the send, which semel never does: that is the price of P4 which the benchmark shows.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace semel::bench {

struct NewEvent {
  std::int64_t row;
  std::string id;
  std::string type;
  std::string envelope;
  std::int64_t accepted_at_ms;
  void* waiting;  // handed back when it is committed
};

struct SettledDelivery {
  std::int64_t row;
  std::int64_t started_at_ms;
  std::int64_t settled_at_ms;
  int http_status;
};

class FloorStore {
 public:
  // `committed` runs on the writer's thread after each commit, with the events that are durable now.
  FloorStore(const std::string& path, std::function<void(std::vector<NewEvent>)> committed);
  ~FloorStore();  // commits what is queued

  void add(NewEvent event);
  void settle(SettledDelivery settled);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace semel::bench
