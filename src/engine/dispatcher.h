// dispatcher.h: sends what is due: steps 7 to 13 of docs/life-of-an-event.md for every delivery of this process.
//
// Owns the open deliveries in memory (engine/line_up.h); the store is the truth. An attempt's row is committed before
// its first byte leaves (P4), its outcome after. Each attempt is one coroutine.
// Invariants: I-ATTEMPT-LEDGER, I-NO-SEND-AFTER-CONFIRM, I-FENCE, I-HOL-ISOLATION (an endpoint that hangs or waits
//             delays no other; a key that is blocked delays no other key).
// Threads:    the loop's thread.
// On a crash: at the next start attempts without an outcome become unknown (lapsed) and everything open is loaded.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "base/result.h"
#include "engine/endpoint_book.h"
#include "port/clock.h"
#include "port/entropy.h"
#include "port/exchange.h"
#include "port/store.h"
#include "port/telemetry.h"

namespace semel::engine {

// Bound of deliveries that are sendable now and not being sent, and of those that wait for a doubt to be settled; above
// it intake answers 503.
inline constexpr std::size_t kSendableMax = 50'000;

struct DispatcherPorts {
  store::Store& store;
  Exchange& exchange;
  Executor& executor;
  Clock& clock;
  Entropy& entropy;
  Telemetry& telemetry;
};

// Before that intake slows down: each request waits one millisecond for so many of them, so that producers who wait for
// their answers are held to the rate of delivery and what they sent arrives soon.
inline constexpr std::size_t kSendablePerDelay = 2'000;

enum class ReplayOutcome : std::uint8_t {
  opened,        // a new round begins
  already_open,  // it was open and is due now
  would_break_order,
  endpoint_gone,
};

class Dispatcher {
 public:
  Dispatcher(DispatcherPorts ports, EndpointBook& endpoints);
  ~Dispatcher();

  // Loads everything open, settles lapsed attempts, and begins. Complete when all is loaded.
  Co<Result<void>> start();

  // A new endpoint may receive; a deleted one must not.
  void endpoint_added(const std::shared_ptr<LiveEndpoint>& endpoint);
  void endpoint_removed(EndpointKey endpoint);

  // Deliveries that a commit just made.
  void take(std::vector<store::Delivery> fresh, const std::shared_ptr<const store::EventBody>& body);

  // A commit's outcome is not known, but the store goes on: what it made is looked for in the store, and what is taken
  // meanwhile waits until that is found.
  void look_again(std::string_view note);

  bool overloaded() const;
  milliseconds intake_delay() const;

  // Fault::not_found: no such delivery of this tenant.
  Co<Result<ReplayOutcome>> replay(TenantKey tenant, DeliveryId id);

  struct Counts {
    std::uint64_t open = 0;
    std::uint64_t sendable = 0;  // and not being sent
    std::uint64_t in_flight = 0;
    std::uint64_t attempts = 0;   // since start
    std::uint64_t delivered = 0;  // since start
  };
  Counts counts() const;

  // `f` is called when a commit's outcome is unknown for good (store::Unknown, fatal): the process has to end.
  void on_fatal(std::move_only_function<void(std::string)> f);
  // Says that this has happened; nothing is started afterwards.
  void fatal(std::string note);

  // Starts no further attempt; those in flight end and are recorded.
  void drain();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace semel::engine
