// attempt.cc: one attempt of one delivery: claim, seal, note the attempt, send, judge, settle. Which delivery is next
// and who has room is engine/line_up.h; what an outcome means is core/retry and core/delivery.
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/match.h"
#include "base/planted.h"
#include "base/probe.h"
#include "engine/dispatcher_state.h"
#include "engine/planted_body.h"
#include "engine/seal.h"

namespace semel::engine {
namespace {

const char* result_word(const retry::Decision& decision) {
  return match(
      decision, [](const retry::Delivered&) { return "delivered"; }, [](const retry::RetryAt&) { return "retry"; },
      [](const retry::ParkedUntil&) { return "parked"; }, [](const retry::UnknownUntil&) { return "unknown"; },
      [](const retry::DeadNow&) { return "dead"; });
}

store::OutcomeRow outcome_row(const Outcome& outcome, const retry::Verdict& verdict, WallTime now) {
  store::OutcomeRow row{.at = now,
                        .result = result_word(verdict.decision),
                        .failure = verdict.failure,
                        .http_status = {},
                        .reason = verdict.reason};
  if (const auto* answer = std::get_if<Answer>(&outcome)) row.http_status = answer->status;
  if (verdict.odd_disposition) row.reason += " (disposition does not fit the status)";
  return row;
}

bool is_over(const delivery::State& state) { return !delivery::is_open(delivery::name_of(state)); }

}  // namespace

Co<void> Dispatcher::State::attempt(Entry& entry) {
  std::optional<Flight> flight = claim(entry);
  if (!flight) {
    probe::reached<"attempt.endpoint_gone">();
    line_up.remove_endpoint(entry.delivery.endpoint);
    put_back(entry);
    co_return;
  }
  if (!co_await have_body(entry) || draining) {
    put_back(entry);
    co_return;
  }
  const std::uint32_t number = flight->begun.record.attempts;
  SealedRequest request = seal(*flight->endpoint, *entry.body, entry.delivery, number, ports.clock.wall());
  const auto* unknown = std::get_if<delivery::Unknown>(&entry.delivery.state);
  request.fresh_connection = unknown && unknown->extra_attempt;
  probe::sometimes<"attempt.wants_a_fresh_connection">(request.fresh_connection);

  if (!planted(Planted::attempt_row_after_send) && !co_await note_attempt(entry, *flight)) co_return;
  ++attempts;
  const Outcome outcome = co_await ports.exchange.exchange(std::move(request));
  if (planted(Planted::attempt_row_after_send) && !co_await note_attempt(entry, *flight)) co_return;

  const WallTime now = ports.clock.wall();
  const retry::Verdict verdict = judge(entry, *flight, outcome);
  const std::optional<admission::Wait> wait = tell_window(entry, verdict);
  line_up.answered(entry);
  post_pump();
  const delivery::Step settled = delivery::settle(flight->begun.next, flight->begun.record, verdict, now);
  SEMEL_CHECK(settled.has_value());
  co_await settle(entry, *flight, outcome_row(outcome, verdict, now), *settled, wait);
}

// nullopt: its endpoint is gone; a deletion whose answer was lost is found out here.
std::optional<Dispatcher::State::Flight> Dispatcher::State::claim(Entry& entry) {
  std::shared_ptr<LiveEndpoint> endpoint = endpoints.find(entry.delivery.endpoint);
  if (!endpoint) return std::nullopt;
  delivery::Step begun = delivery::start_attempt(entry.delivery.state, entry.delivery.record, ports.clock.wall());
  SEMEL_CHECK(begun.has_value());  // the line-up hands out only what can start
  return Flight{std::move(endpoint), *std::move(begun), entry.delivery.version};
}

Co<bool> Dispatcher::State::have_body(Entry& entry) {
  if (entry.body) co_return true;
  const EventKey event = entry.delivery.event;
  auto bodies_read =
      co_await store::read(ports.store, [event](store::StoreReader& reader) { return reader.event_bodies({event}); });
  if (!bodies_read || bodies_read->empty()) {
    ports.telemetry.note(
        Level::error, "event_body_unreadable",
        {{"event", std::to_string(event.value)}, {"note", bodies_read ? "no row" : bodies_read.error().note}});
    co_return false;
  }
  probe::reached<"attempt.reads_its_body">();
  store::EventBody& body = bodies_read->front();
  plant_in_body(body, entry.delivery.record, ports.clock.wall(), ports.entropy);
  entry.body = std::make_shared<const store::EventBody>(std::move(body));
  co_return true;
}

// True once the attempt's row is committed: only then may a byte leave. Otherwise the entry has been dealt with.
Co<bool> Dispatcher::State::note_attempt(Entry& entry, const Flight& flight) {
  store::CommitAnswer answer = co_await store::commit(
      ports.store, store::StartAttempt{.tenant = entry.delivery.tenant,
                                       .fence = ports.store.fence(),
                                       .delivery = entry.delivery.key,
                                       .version = flight.version,
                                       .endpoint = entry.delivery.endpoint,
                                       .endpoint_version = flight.endpoint->version,
                                       .record = flight.begun.record,
                                       .state = std::get<delivery::InFlight>(flight.begun.next)});
  if (std::holds_alternative<store::Committed>(answer)) co_return true;
  if (fatal(answer)) co_return false;
  if (std::holds_alternative<store::Refused>(answer)) {
    probe::reached<"attempt.start_refused">();
    put_back(entry);
    co_return false;
  }
  probe::sometimes<"attempt.start_conflicts">(std::holds_alternative<store::Conflict>(answer));
  probe::sometimes<"attempt.start_in_doubt">(std::holds_alternative<store::Unknown>(answer));
  if (std::holds_alternative<store::Unknown>(answer)) co_await back_off();
  co_await reload_endpoint(entry.delivery.endpoint);
  co_await reread(entry);
  co_return false;
}

retry::Verdict Dispatcher::State::judge(Entry& entry, const Flight& flight, const Outcome& outcome) {
  const delivery::Record& record = flight.begun.record;
  const retry::JudgedAttempt judged{.counts = std::get<delivery::InFlight>(flight.begun.next).counts,
                                    .before = record.progress,
                                    .parked_asks = record.parked_asks,
                                    .parked_since = record.parked_since};
  retry::Verdict verdict =
      retry::judge(outcome, flight.endpoint->config.rules, judged, ports.clock.wall(), ports.entropy);
  if (const auto* dead = std::get_if<retry::DeadNow>(&verdict.decision))
    ports.telemetry.note(Level::warning, "delivery_dead",
                         {{"event", entry.body->id.text},
                          {"endpoint", flight.endpoint->id.text},
                          {"reason", dead->reason},
                          {"class", name_of(dead->failure)}});
  return verdict;
}

std::optional<admission::Wait> Dispatcher::State::tell_window(Entry& entry, const retry::Verdict& verdict) {
  probe::sometimes<"attempt.answered_after_the_deletion">(entry.abandoned);
  if (entry.abandoned) return std::nullopt;
  admission::Window& window = line_up.window(entry);
  const WallTime now = ports.clock.wall();
  if (verdict.endpoint_wait) return window.answered_wait(*verdict.endpoint_wait, now);
  switch (verdict.endpoint) {
    case retry::EndpointSignal::none:
      return std::nullopt;
    case retry::EndpointSignal::willing:
      window.answered_willing(entry.window_generation);
      return std::nullopt;
    case retry::EndpointSignal::throttled:
      return window.answered_throttled(entry.window_generation, now);
  }
  std::unreachable();
}

// Tries until the store has taken the outcome, or something else has settled the delivery meanwhile.
Co<void> Dispatcher::State::settle(Entry& entry, const Flight& flight, store::OutcomeRow row,
                                   delivery::Transition settled, std::optional<admission::Wait> wait) {
  const Version in_flight{flight.version.value + 1};
  const store::SettleAttempt write_set{.tenant = entry.delivery.tenant,
                                       .fence = ports.store.fence(),
                                       .endpoint = entry.delivery.endpoint,
                                       .delivery = entry.delivery.key,
                                       .version = in_flight,
                                       .attempt = flight.begun.record.attempts,
                                       .outcome = row,
                                       .state = settled.next,
                                       .record = settled.record,
                                       .endpoint_wait = wait};
  bool in_doubt = false;
  while (true) {
    store::CommitAnswer answer = co_await store::commit(ports.store, write_set);
    if (std::holds_alternative<store::Committed>(answer)) {
      if (std::holds_alternative<delivery::Delivered>(settled.next)) ++delivered;
      moved_on(entry, Version{in_flight.value + 1}, std::move(settled));
      co_return;
    }
    if (fatal(answer)) co_return;
    if (std::holds_alternative<store::Conflict>(answer)) break;
    probe::sometimes<"attempt.settlement_refused">(std::holds_alternative<store::Refused>(answer));
    probe::sometimes<"attempt.settlement_in_doubt">(std::holds_alternative<store::Unknown>(answer));
    in_doubt = in_doubt || std::holds_alternative<store::Unknown>(answer);
    co_await back_off();
  }
  // Something else moved the delivery on; or, after a doubt, it was this very write-set the first time.
  const DeliveryKey key = entry.delivery.key;
  const auto found =
      co_await store::read(ports.store, [key](store::StoreReader& reader) { return reader.delivery(key); });
  const bool it_was_ours = in_doubt && found && *found && (*found)->version.value == in_flight.value + 1 &&
                           delivery::name_of((*found)->state) == delivery::name_of(settled.next);
  probe::sometimes<"attempt.was_settled_in_doubt">(it_was_ours);
  probe::sometimes<"attempt.outcome_is_late">(!it_was_ours);
  if (!it_was_ours) co_await keep_as_evidence(entry, flight.begun.record.attempts, std::move(row));
  co_await reread(entry);
}

// Tries until the store has taken it; telling it twice changes nothing.
Co<void> Dispatcher::State::keep_as_evidence(Entry& entry, std::uint32_t attempt, store::OutcomeRow row) {
  const store::LateOutcome late{entry.delivery.tenant, entry.delivery.key, attempt, std::move(row)};
  while (true) {
    const store::CommitAnswer answer = co_await store::commit(ports.store, late);
    if (std::holds_alternative<store::Committed>(answer) || fatal(answer)) co_return;
    const auto* refused = std::get_if<store::Refused>(&answer);
    if (refused && recourse(refused->error.fault) != Recourse::wait_and_retry) {
      ports.telemetry.note(Level::error, "late_outcome_refused",
                           {{"delivery", std::to_string(late.delivery.value)}, {"note", refused->error.note}});
      co_return;
    }
    probe::reached<"attempt.evidence_told_again">();
    co_await back_off();
  }
}

void Dispatcher::State::moved_on(Entry& entry, Version version, delivery::Transition transition) {
  entry.delivery.version = version;
  entry.delivery.state = std::move(transition.next);
  entry.delivery.record = transition.record;
  if (!is_over(entry.delivery.state)) entry.body.reset();  // a retry may be far away; it reads its body again
  ended(entry);
}

void Dispatcher::State::put_back(Entry& entry) {
  if (planted(Planted::put_back_forgotten)) return;
  line_up.put_back(entry, ports.clock.now() + kStoreBackOff);
  post_pump();
}

void Dispatcher::State::ended(Entry& entry) {
  line_up.ended(entry, ports.clock.now(), ports.clock.wall());
  post_pump();
}

}  // namespace semel::engine
