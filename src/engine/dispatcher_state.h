// dispatcher_state.h: what a Dispatcher holds, and its parts: pump (dispatcher.cc), one attempt (attempt.cc), start-up
// and doubt (recovery.cc), replay (replay.cc). Included by these only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/delivery/step.h"
#include "engine/dispatcher.h"
#include "engine/line_up.h"
#include "port/scope.h"
#include "port/signal.h"

namespace semel::engine {

// How long a delivery waits after the store could not take what belongs to it.
inline constexpr Nanoseconds kStoreBackOff = std::chrono::seconds(1);

inline constexpr std::size_t kBodyCacheBytesMax = 64u << 20;

// Counts bodies kept in memory for deliveries that are sent soon.
class BodyBudget {
 public:
  std::shared_ptr<const store::EventBody> keep(const std::shared_ptr<const store::EventBody>& body) {
    if (used_->bytes + body->envelope.size() > kBodyCacheBytesMax) return nullptr;
    used_->bytes += body->envelope.size();
    return {body.get(), [body, used = used_](const store::EventBody*) { used->bytes -= body->envelope.size(); }};
  }

 private:
  struct Used {
    std::size_t bytes = 0;
  };
  std::shared_ptr<Used> used_ = std::make_shared<Used>();
};

struct Dispatcher::State {
  State(DispatcherPorts world, EndpointBook& book) : ports(world), endpoints(book) {}

  DispatcherPorts ports;
  EndpointBook& endpoints;
  LineUp line_up;
  BodyBudget bodies;
  TimerId wake_timer{};
  std::optional<MonotonicTime> wake_at;
  bool started = false;
  bool draining = false;
  bool pump_posted = false;
  bool looking_again = false;
  bool look_once_more = false;
  // What commits made while looking again, in their order.
  struct Fresh {
    store::Delivery delivery;
    std::shared_ptr<const store::EventBody> body;
  };
  std::vector<Fresh> taken_in_doubt;
  std::uint64_t attempts = 0;
  std::uint64_t delivered = 0;
  std::move_only_function<void(std::string)> fatal_handler;
  Scope scope;  // last, so that frames go before what they use

  // ---- what is sent next ----
  void pump();
  void post_pump();
  void arm_wake();

  // ---- one attempt ----
  struct Flight {
    std::shared_ptr<LiveEndpoint> endpoint;
    delivery::Transition begun;  // the delivery in flight
    Version version;             // of the delivery before the attempt
  };
  Co<void> attempt(Entry& entry);
  std::optional<Flight> claim(Entry& entry);
  Co<bool> have_body(Entry& entry);
  Co<bool> note_attempt(Entry& entry, const Flight& flight);
  retry::Verdict judge(Entry& entry, const Flight& flight, const Outcome& outcome);
  std::optional<admission::Wait> tell_window(Entry& entry, const retry::Verdict& verdict);
  Co<void> settle(Entry& entry, const Flight& flight, store::OutcomeRow row, delivery::Transition settled,
                  std::optional<admission::Wait> wait);
  Co<void> keep_as_evidence(Entry& entry, std::uint32_t attempt, store::OutcomeRow row);
  void moved_on(Entry& entry, Version version, delivery::Transition transition);
  void put_back(Entry& entry);
  void ended(Entry& entry);

  // ---- when the store is in doubt or disagrees ----
  Co<void> back_off();
  Co<void> reload_endpoint(EndpointKey key);
  Co<void> reread(Entry& entry);
  bool fatal(const store::CommitAnswer& answer);

  // ---- start-up and replay ----
  Co<Result<void>> load();  // what is in memory already stays as it is
  void leave_out_known(std::vector<store::Delivery>& page);
  Co<Result<std::vector<store::Delivery>>> read_again(std::vector<store::Delivery> page);
  Co<void> settle_all_lapsed(std::vector<store::Delivery>& page);
  Co<void> settle_one_of(store::Delivery& found, std::size_t& left, Signal& settled);
  void begin_to_look_again(std::string_view note);
  Co<void> look_again();
  void take(Fresh fresh);
  Co<void> settle_lapsed(store::Delivery& found);
  Co<Result<ReplayOutcome>> replay(TenantKey tenant, const DeliveryId& id);
  Co<Result<std::optional<ReplayOutcome>>> replay_once(TenantKey tenant, const DeliveryId& id);
  Co<Result<bool>> would_break_order(const store::Delivery& found, const LiveEndpoint& endpoint);
};

}  // namespace semel::engine
