// scene.h: one server, one receiver, one endpoint, and one event on its way.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "scenario/story.h"
#include "support/semel_server.h"

namespace semel::scenario {

class Scene {
 public:
  Scene(const std::string& semel, const std::filesystem::path& folder, Story& story);

  // The receiver commits the first event and then cuts the connection.
  Result<void> start_with_a_lost_answer();
  // The receiver is stopped and comes back without faults; `meanwhile` runs on its closed database.
  template <class Meanwhile>
  Result<void> restart_receiver(Meanwhile meanwhile) {
    SEMEL_TRY_VOID(listener_.stop());
    SEMEL_TRY_VOID(meanwhile());
    listener_.set_faults({});
    return listener_.start();
  }

  // Sends `members` (of the event object beside type and data) and keeps the ids.
  Result<void> send_event(std::string_view members);
  // Waits until the delivery is in `state`, and tells it with its attempts.
  Result<void> watch_delivery(std::string_view state);
  // Deletes the receiver's dedup record of the event: what a lost or restored database looks like.
  Result<void> forget_event();
  // Stops both, and tells what the receiver applied.
  Result<void> count_effects();

  harness::ApiAnswer delivery() const { return *delivery_; }
  std::string outcome_of_attempt(std::size_t number) const;  // "result reason", for example "delivered duplicate"
  std::int64_t effects() const { return effects_; }

 private:
  Story& story_;
  std::string secret_;
  harness::SemelServer server_;
  harness::SemelListener listener_;
  std::string event_id_;
  std::string delivery_id_;
  std::optional<harness::ApiAnswer> delivery_;
  std::int64_t effects_ = 0;
};

}  // namespace semel::scenario
