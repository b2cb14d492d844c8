// promises.h: what a store was asked to write and what of it was acknowledged, compared with what a later incarnation
// holds.
//
// Each producer writes events 0, 1, 2 .. under its own ordering key, several write-sets ahead of the answers, and goes
// on from what is found. So its events must always be a prefix that ends where a write-set ends (I-NO-HOLE).
// Lifetime: write-sets' answers are told while this lives, or never.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "port/store.h"
#include "sim/disk/recovery_report.h"
#include "sim/kernel/draw.h"

namespace semel::sim {

class Promises {
 public:
  struct Terms {
    // Write-sets of one producer that wait for their answers. Where a full disk may refuse one it has to be 1: what is
    // refused leaves a hole when a later one is taken.
    std::size_t ahead_max = 4;
    bool may_be_refused = false;  // the disk has faults that a process lives through
  };
  Promises(Draw draw, Terms terms, RecoveryReport& report);

  struct Asked {
    store::WriteSet write_set;
    std::move_only_function<void(const store::CommitAnswer&)> answered;
  };
  // nullopt: the draw wants something that has to wait for an answer.
  std::optional<Asked> next(Fence fence);

  // What is under way will not be answered: a crash.
  void forget_answers();

  // Judges what the store holds, and goes on from there. An Error: it could not be read.
  Result<void> compare(store::StoreReader& reader);
  // The next comparison begins with the first event.
  void compare_from_the_start() { last_event_ = {}; }

 private:
  struct Producer {
    std::uint64_t found = 0;               // events
    std::uint64_t acknowledged = 0;        // events, from the first
    std::uint64_t asked = 0;               // likewise
    std::vector<std::uint64_t> ends;       // of the write-sets asked for since the last comparison
    std::size_t waiting = 0;               // write-sets
    std::optional<std::uint64_t> refused;  // the end of one that has to be asked for again
  };
  struct DeliveryPromise {
    store::Delivery there;  // as acknowledged or found
    std::optional<store::Delivery> asked;
    bool compared = false;
  };
  struct EndpointPromise {
    bool there;  // acknowledged or found
    std::optional<bool> asked;
  };

  std::optional<Asked> ask_events(std::size_t number);
  Asked ask_events_up_to(std::size_t number, std::uint64_t end);
  std::optional<Asked> ask_delivery(Fence fence);
  Asked ask_attempt(Fence fence, DeliveryPromise& promise);
  Asked ask_outcome(Fence fence, DeliveryPromise& promise);
  Asked ask_new_endpoint();
  std::optional<Asked> ask_deleted_endpoint();
  std::optional<Asked> ask_main_endpoint();
  Asked ask_in_vain();

  void take_events(const store::IntakeAnswer& answer, std::size_t number, std::uint64_t first);
  std::move_only_function<void(const store::CommitAnswer&)> when_moved(DeliveryKey key);
  std::move_only_function<void(const store::CommitAnswer&)> when_endpoint(const std::string& id);
  bool was_committed(const store::CommitAnswer& answer);

  using Count = std::uint64_t RecoveryReport::*;
  void breach(Count count, const std::string& what, std::uint64_t times = 1);

  Result<std::set<EventKey>> compare_events(store::StoreReader& reader);
  enum class Seen : std::uint8_t { first_time, before };
  Seen compare_event(const store::EventView& event, std::vector<std::uint64_t>& seen);
  void compare_producer(std::size_t number, std::uint64_t seen);
  Result<void> compare_deliveries(store::StoreReader& reader, const std::set<EventKey>& events);
  Result<bool> compare_delivery(store::StoreReader& reader, DeliveryPromise& promise);
  Result<void> compare_endpoints(store::StoreReader& reader);

  Draw draw_;
  Terms terms_;
  RecoveryReport& report_;
  std::vector<Producer> producers_;
  std::map<DeliveryKey, DeliveryPromise> deliveries_;  // all that are open, and what closed since the last comparison
  std::map<std::string, EndpointPromise> endpoints_;
  std::optional<store::Endpoint> main_;  // the one with a subscription
  std::uint64_t endpoints_made_ = 0;
  EventKey last_event_{0};
  DeliveryKey last_delivery_{0};
};

}  // namespace semel::sim
