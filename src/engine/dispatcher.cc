// dispatcher.cc: which deliveries start now, and the dispatcher's public face. One attempt from claim to settlement is
// attempt.cc, start-up and doubt recovery.cc, replay replay.cc.
#include "engine/dispatcher.h"

#include <utility>

#include "engine/dispatcher_state.h"

namespace semel::engine {

void Dispatcher::State::pump() {
  if (!started || draining) return;
  const MonotonicTime now = ports.clock.now();
  const WallTime wall = ports.clock.wall();
  while (Entry* entry = line_up.next(now, wall)) scope.spawn(attempt(*entry));
  arm_wake();
}

void Dispatcher::State::post_pump() {
  if (std::exchange(pump_posted, true)) return;
  ports.executor.post([this] {
    pump_posted = false;
    pump();
  });
}

void Dispatcher::State::arm_wake() {
  const std::optional<MonotonicTime> wake = line_up.next_wake();
  if (wake == wake_at) return;
  if (wake_at) ports.clock.stop_timer(wake_timer);
  wake_at = wake;
  if (!wake) return;
  wake_timer = ports.clock.start_timer(*wake, [this] {
    wake_at.reset();
    pump();
  });
}

Dispatcher::Dispatcher(DispatcherPorts ports, EndpointBook& endpoints)
    : state_(std::make_unique<State>(ports, endpoints)) {}
Dispatcher::~Dispatcher() = default;

Co<Result<void>> Dispatcher::start() {
  Result<void> loaded = co_await state_->load();
  if (!loaded) co_return std::unexpected(std::move(loaded).error());
  state_->started = true;
  state_->post_pump();
  co_return Result<void>{};
}

void Dispatcher::endpoint_added(const std::shared_ptr<LiveEndpoint>& endpoint) {
  state_->line_up.add_endpoint(endpoint->key, endpoint->config.ordering,
                               admission::Window(endpoint->config.max_in_flight));
}

void Dispatcher::endpoint_removed(EndpointKey endpoint) { state_->line_up.remove_endpoint(endpoint); }

void Dispatcher::take(std::vector<store::Delivery> fresh, const std::shared_ptr<const store::EventBody>& body) {
  if (fresh.empty()) return;
  const std::shared_ptr<const store::EventBody> kept = state_->bodies.keep(body);
  for (store::Delivery& delivery : fresh) state_->take({std::move(delivery), kept});
  state_->post_pump();
}

bool Dispatcher::overloaded() const {
  return state_->line_up.sendable() + state_->taken_in_doubt.size() > kSendableMax;
}

milliseconds Dispatcher::intake_delay() const {
  return milliseconds(static_cast<std::int64_t>(state_->line_up.sendable() / kSendablePerDelay));
}

Co<Result<ReplayOutcome>> Dispatcher::replay(TenantKey tenant, DeliveryId id) {
  co_return co_await state_->replay(tenant, id);
}

Dispatcher::Counts Dispatcher::counts() const {
  return {.open = state_->line_up.size() + state_->taken_in_doubt.size(),
          .sendable = state_->line_up.sendable(),
          .in_flight = state_->line_up.taken(),
          .attempts = state_->attempts,
          .delivered = state_->delivered};
}

void Dispatcher::on_fatal(std::move_only_function<void(std::string)> f) { state_->fatal_handler = std::move(f); }

void Dispatcher::fatal(std::string note) {
  state_->fatal(store::Unknown{Error{Fault::unknown_outcome, std::move(note)}, true});
}

void Dispatcher::look_again(std::string_view note) { state_->begin_to_look_again(note); }

void Dispatcher::drain() { state_->draining = true; }

}  // namespace semel::engine
