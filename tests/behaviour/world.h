// world.h: the real engine on the real SQLite store, with a clock that moves only when the script says so and receivers
// that answer what the script says.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "edge/sqlite/recording_vfs.h"
#include "engine/dispatcher.h"
#include "engine/endpoint_book.h"
#include "engine/intake.h"
#include "engine/tenants.h"
#include "http/testing/memory_clock.h"
#include "port/null_telemetry.h"
#include "port/scope.h"

namespace semel::behaviour {

// A request that left and has not been answered yet.
struct OpenRequest {
  SealedRequest request;
  Done<Outcome> done;
  WallTime at;
};

class ScriptedExchange final : public Exchange {
 public:
  explicit ScriptedExchange(Clock& clock) : clock_(clock) {}
  Co<Outcome> exchange(SealedRequest request) override {
    co_return co_await call<Outcome>(
        [&](Done<Outcome> done) { open.push_back({std::move(request), std::move(done), clock_.wall()}); });
  }
  std::deque<OpenRequest> open;

 private:
  Clock& clock_;
};

class World {
 public:
  explicit World(std::string folder);
  ~World();

  // The process ends as by SIGKILL and starts again on what is stored.
  void restart();

  // From now on nothing can be stored, or everything again.
  void fill_disk() { disk_.fail_log_writes(SQLITE_FULL); }
  void free_disk() { disk_.fail_log_writes(SQLITE_OK); }

  void pass(milliseconds time) { clock_.run_for(time); }
  WallTime wall() const { return clock_.wall(); }

  EndpointId add_endpoint(const std::string& config_json);
  void remove_endpoint(const EndpointId& id);
  store::IntakeAnswer send(const std::string& event_json);
  engine::ReplayOutcome replay(const DeliveryId& id);
  store::DeliveryView show(const DeliveryId& id);
  std::vector<store::AttemptView> attempts(const DeliveryId& id);

  std::deque<OpenRequest>& requests();
  // Answers the oldest open request and lets everything that follows at this moment happen.
  void answer(Outcome outcome);

 private:
  struct Running;  // everything a process has in memory
  template <class T>
  T run(Co<T> body);
  void start();

  std::string folder_;
  sqlite::RecordingVfs disk_{"behaviour"};
  http::testing::MemoryClock clock_;
  SeededRandom random_{42};
  std::unique_ptr<Running> running_;
};

}  // namespace semel::behaviour
