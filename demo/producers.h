// producers.h: several producers at once, each of which repeats an event with the same Idempotency-Key until it is
// answered 202. What they were told is the first of the demo's three accounts.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "workload.h"

namespace semel::demo {

// What a producer was told about one event.
struct Told {
  std::string id;
  std::int64_t sequence = 0;
  const PlannedEvent* event = nullptr;
};

struct ProducerPlan {
  std::uint16_t port;
  std::string key;
  int producers = 8;
  double seconds = 10;  // spreads the sending over about this long
  std::string file;     // a line per 202, written before the next event is sent
};

class Producers {
 public:
  Producers(const std::vector<PlannedEvent>& events, ProducerPlan plan);
  ~Producers();  // waits for all

  std::int64_t accepted() const { return accepted_; }
  std::int64_t repeated() const { return repeated_; }  // requests sent again with the same key
  bool done() const { return running_ == 0; }
  // An answer that no repetition can change.
  std::optional<std::string> failure() const;

  std::vector<Told> told() const;  // complete when done

 private:
  void produce(int which);
  std::optional<Told> submit(const PlannedEvent& event, class Submitter& submitter);
  void note(const Told& told);

  const std::vector<PlannedEvent>& events_;
  ProducerPlan plan_;
  std::atomic<std::int64_t> accepted_ = 0;
  std::atomic<std::int64_t> repeated_ = 0;
  std::atomic<int> running_ = 0;
  std::atomic<bool> stop_ = false;
  mutable std::mutex mutex_;
  std::vector<Told> told_;
  std::optional<std::string> failure_;
  int file_ = -1;
  std::vector<std::jthread> threads_;
};

}  // namespace semel::demo
