// replay.cc: a person asks for a delivery again.
#include <utility>

#include "base/check.h"
#include "base/probe.h"
#include "engine/dispatcher_state.h"

namespace semel::engine {

Co<Result<ReplayOutcome>> Dispatcher::State::replay(TenantKey tenant, const DeliveryId& id) {
  constexpr int kTries = 5;
  for (int i = 0; i < kTries; ++i) {
    auto outcome = co_await replay_once(tenant, id);
    if (!outcome) co_return std::unexpected(std::move(outcome).error());
    if (*outcome) co_return **outcome;
  }
  co_return fail(Fault::busy, "the delivery kept changing while it was being replayed; try again");
}

// nullopt: the delivery changed meanwhile; look again.
Co<Result<std::optional<ReplayOutcome>>> Dispatcher::State::replay_once(TenantKey tenant, const DeliveryId& id) {
  using Answer = Result<std::optional<ReplayOutcome>>;
  auto read_answer =
      co_await store::read(ports.store, [&](store::StoreReader& reader) -> Result<std::optional<store::Delivery>> {
        SEMEL_TRY(view, reader.delivery(tenant, id));
        if (!view) return std::nullopt;
        return reader.delivery(view->key);
      });
  if (!read_answer) co_return Answer(std::unexpected(std::move(read_answer).error()));
  if (!*read_answer) co_return Answer(fail(Fault::not_found, "there is no such delivery"));
  store::Delivery found = **std::move(read_answer);

  const std::shared_ptr<LiveEndpoint> endpoint = endpoints.find(found.endpoint);
  probe::sometimes<"replay.endpoint_gone">(!endpoint);
  probe::sometimes<"replay.of_one_in_flight">(std::holds_alternative<delivery::InFlight>(found.state));
  if (!endpoint) co_return Answer(ReplayOutcome::endpoint_gone);
  if (std::holds_alternative<delivery::InFlight>(found.state)) co_return Answer(ReplayOutcome::already_open);
  const auto step = delivery::replay(found.state, found.record, ports.clock.wall());
  SEMEL_CHECK(step.has_value());
  if (!step->already_open) {
    const Result<bool> breaks = co_await would_break_order(found, *endpoint);
    if (!breaks) co_return Answer(std::unexpected(breaks.error()));
    probe::sometimes<"replay.would_break_order">(*breaks);
    if (*breaks) co_return Answer(ReplayOutcome::would_break_order);
  }

  Entry* entry = line_up.find(found.key);
  if (entry && !line_up.take(*entry)) {
    probe::reached<"replay.of_one_being_sent">();
    if (step->already_open) co_return Answer(ReplayOutcome::already_open);
    co_return Answer(std::nullopt);  // over in the store, but not in memory yet
  }
  const store::CommitAnswer answer =
      co_await store::commit(ports.store, store::ChangeDelivery{.tenant = found.tenant,
                                                                .fence = ports.store.fence(),
                                                                .endpoint = found.endpoint,
                                                                .delivery = found.key,
                                                                .version = found.version,
                                                                .state = step->transition.next,
                                                                .record = step->transition.record});
  if (!std::holds_alternative<store::Committed>(answer)) {
    probe::sometimes<"replay.refused">(std::holds_alternative<store::Refused>(answer));
    probe::sometimes<"replay.in_doubt">(std::holds_alternative<store::Unknown>(answer));
    const bool ends = fatal(answer);
    if (entry && !ends) co_await reread(*entry);
    if (!entry && !ends && std::holds_alternative<store::Unknown>(answer)) begin_to_look_again("a replay");
    if (std::holds_alternative<store::Conflict>(answer)) {
      co_await reload_endpoint(found.endpoint);
      co_return Answer(std::nullopt);
    }
    const auto* refused = std::get_if<store::Refused>(&answer);
    co_return Answer(std::unexpected(
        refused ? refused->error : Error{Fault::unknown_outcome, "whether the replay was recorded is not known"}));
  }
  if (entry) {
    moved_on(*entry, Version{found.version.value + 1}, step->transition);
  } else {
    probe::reached<"replay.comes_back_from_the_store">();
    found.version = Version{found.version.value + 1};
    found.state = step->transition.next;
    found.record = step->transition.record;
    line_up.insert(std::move(found), nullptr, ports.clock.now(), ports.clock.wall());
    post_pump();
  }
  co_return Answer(step->already_open ? ReplayOutcome::already_open : ReplayOutcome::opened);
}

// On a per-key endpoint a replay below the highest delivered sequence of its key would arrive behind it.
Co<Result<bool>> Dispatcher::State::would_break_order(const store::Delivery& found, const LiveEndpoint& endpoint) {
  if (!found.line || endpoint.config.ordering != endpoint::Ordering::per_key) co_return Result<bool>(false);
  auto highest = co_await store::read(ports.store, [&](store::StoreReader& reader) {
    return reader.highest_delivered(found.tenant, found.endpoint, *found.line);
  });
  if (!highest) co_return Result<bool>(std::unexpected(std::move(highest).error()));
  co_return Result<bool>(*found.sequence < *highest);
}

}  // namespace semel::engine
