// dispatcher.cc: claim, admit, seal, note the attempt, send, judge, settle: `attempt` below reads as that list. Which
// delivery is next and who has room is engine/line_up.h; what an outcome means is core/retry and core/delivery.
#include "engine/dispatcher.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/match.h"
#include "core/delivery/step.h"
#include "engine/line_up.h"
#include "engine/seal.h"
#include "port/scope.h"

namespace semel::engine {
namespace {

constexpr std::size_t kLoadPage = 2'000;
constexpr Nanoseconds kStoreBackOff = std::chrono::seconds(1);
constexpr std::size_t kBodyCacheBytesMax = 64u << 20;

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

}  // namespace

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
  Co<void> reread(Entry& entry);
  bool fatal(const store::CommitAnswer& answer);

  // ---- start-up and replay ----
  Co<Result<void>> load();
  Co<void> settle_lapsed(store::Delivery& found);
  Co<Result<ReplayOutcome>> replay(TenantKey tenant, const DeliveryId& id);
  Co<Result<std::optional<ReplayOutcome>>> replay_once(TenantKey tenant, const DeliveryId& id);
  Co<Result<bool>> would_break_order(const store::Delivery& found, const LiveEndpoint& endpoint);
};

// ---- what is sent next ----

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

// ---- one attempt ----

Co<void> Dispatcher::State::attempt(Entry& entry) {
  std::optional<Flight> flight = claim(entry);
  if (!flight) {
    put_back(entry);
    co_return;
  }
  if (!co_await have_body(entry)) {
    put_back(entry);
    co_return;
  }
  const std::uint32_t number = flight->begun.record.attempts;
  SealedRequest request = seal(*flight->endpoint, *entry.body, entry.delivery, number, ports.clock.wall());
  const auto* unknown = std::get_if<delivery::Unknown>(&entry.delivery.state);
  request.fresh_connection = unknown && unknown->extra_attempt;

  if (!co_await note_attempt(entry, *flight)) co_return;
  ++attempts;
  const Outcome outcome = co_await ports.exchange.exchange(std::move(request));

  const WallTime now = ports.clock.wall();
  const retry::Verdict verdict = judge(entry, *flight, outcome);
  const std::optional<admission::Wait> wait = tell_window(entry, verdict);
  line_up.answered(entry);
  post_pump();
  const delivery::Step settled = delivery::settle(flight->begun.next, flight->begun.record, verdict, now);
  SEMEL_CHECK(settled.has_value());
  co_await settle(entry, *flight, outcome_row(outcome, verdict, now), *settled, wait);
}

// nullopt: it cannot start after all (its endpoint is being replaced); it is placed again.
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
  entry.body = std::make_shared<const store::EventBody>(std::move(bodies_read->front()));
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
    put_back(entry);
    co_return false;
  }
  if (std::holds_alternative<store::Unknown>(answer)) co_await back_off();
  const auto reloaded = co_await endpoints.reload(entry.delivery.endpoint);
  (void)reloaded;  // an unreadable store shows itself in the next line too
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
    in_doubt = in_doubt || std::holds_alternative<store::Unknown>(answer);
    co_await back_off();
  }
  // Something else moved the delivery on; or, after a doubt, it was this very write-set the first time.
  const DeliveryKey key = entry.delivery.key;
  const auto found =
      co_await store::read(ports.store, [key](store::StoreReader& reader) { return reader.delivery(key); });
  const bool it_was_ours = in_doubt && found && *found && (*found)->version.value == in_flight.value + 1 &&
                           delivery::name_of((*found)->state) == delivery::name_of(settled.next);
  if (!it_was_ours) co_await keep_as_evidence(entry, flight.begun.record.attempts, std::move(row));
  co_await reread(entry);
}

Co<void> Dispatcher::State::keep_as_evidence(Entry& entry, std::uint32_t attempt, store::OutcomeRow row) {
  const store::CommitAnswer answer = co_await store::commit(
      ports.store, store::LateOutcome{entry.delivery.tenant, entry.delivery.key, attempt, std::move(row)});
  fatal(answer);
}

void Dispatcher::State::moved_on(Entry& entry, Version version, delivery::Transition transition) {
  entry.delivery.version = version;
  entry.delivery.state = std::move(transition.next);
  entry.delivery.record = transition.record;
  if (!is_over(entry.delivery.state)) entry.body.reset();  // a retry may be far away; it reads its body again
  ended(entry);
}

void Dispatcher::State::put_back(Entry& entry) {
  line_up.put_back(entry, ports.clock.now() + kStoreBackOff);
  post_pump();
}

void Dispatcher::State::ended(Entry& entry) {
  line_up.ended(entry, ports.clock.now(), ports.clock.wall());
  post_pump();
}

// ---- when the store is in doubt or disagrees ----

Co<void> Dispatcher::State::back_off() { co_await sleep_until(ports.clock, ports.clock.now() + kStoreBackOff); }

// Takes what the store says about the delivery over the memory's version. Bounded by the process: the store either
// becomes readable again or ends it.
Co<void> Dispatcher::State::reread(Entry& entry) {
  const DeliveryKey key = entry.delivery.key;
  while (true) {
    auto found = co_await store::read(ports.store, [key](store::StoreReader& reader) { return reader.delivery(key); });
    if (!found) {
      co_await back_off();
      continue;
    }
    SEMEL_CHECK(found->has_value());  // delivery rows are for ever
    store::Delivery delivery = **std::move(found);
    if (std::holds_alternative<delivery::InFlight>(delivery.state)) co_await settle_lapsed(delivery);
    entry.delivery = std::move(delivery);
    if (std::holds_alternative<delivery::InFlight>(entry.delivery.state))
      line_up.put_back(entry, ports.clock.now() + kStoreBackOff);
    else
      line_up.ended(entry, ports.clock.now(), ports.clock.wall());
    post_pump();
    co_return;
  }
}

bool Dispatcher::State::fatal(const store::CommitAnswer& answer) {
  const auto* unknown = std::get_if<store::Unknown>(&answer);
  if (!unknown || !unknown->fatal) return false;
  draining = true;
  if (fatal_handler) fatal_handler(unknown->error.note);
  return true;
}

// ---- start-up ----

Co<Result<void>> Dispatcher::State::load() {
  for (const std::shared_ptr<LiveEndpoint>& endpoint : endpoints.all())
    line_up.add_endpoint(endpoint->key, endpoint->config.ordering,
                         admission::Window::resumed(endpoint->config.max_in_flight, endpoint->wait));
  DeliveryKey after{0};
  while (true) {
    auto page = co_await store::read(
        ports.store, [after](store::StoreReader& reader) { return reader.open_deliveries(after, kLoadPage); });
    if (!page) co_return std::unexpected(std::move(page).error());
    if (page->empty()) co_return Result<void>{};
    after = page->back().key;
    for (store::Delivery& found : *page) {
      if (std::holds_alternative<delivery::InFlight>(found.state)) co_await settle_lapsed(found);
      if (std::holds_alternative<delivery::InFlight>(found.state))
        co_return fail(Fault::unavailable, "an attempt without outcome could not be recorded as lapsed");
      line_up.insert(std::move(found), nullptr, ports.clock.now(), ports.clock.wall());
    }
  }
}

// An attempt whose process is gone: its outcome is unknown. `found` is brought up to date when the store took it.
Co<void> Dispatcher::State::settle_lapsed(store::Delivery& found) {
  const WallTime now = ports.clock.wall();
  delivery::Step step = delivery::lapsed(found.state, found.record, now);
  SEMEL_CHECK(step.has_value());
  const store::CommitAnswer answer =
      co_await store::commit(ports.store, store::SettleAttempt{.tenant = found.tenant,
                                                               .fence = ports.store.fence(),
                                                               .endpoint = found.endpoint,
                                                               .delivery = found.key,
                                                               .version = found.version,
                                                               .attempt = found.record.attempts,
                                                               .outcome = {.at = now,
                                                                           .result = "unknown",
                                                                           .failure = FailureClass::unknown_outcome,
                                                                           .http_status = {},
                                                                           .reason = "lapsed"},
                                                               .state = step->next,
                                                               .record = step->record,
                                                               .endpoint_wait = {}});
  if (fatal(answer) || !std::holds_alternative<store::Committed>(answer)) co_return;
  found.version = Version{found.version.value + 1};
  found.state = std::move(step->next);
  found.record = step->record;
}

// ---- replay ----

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
  if (!endpoint) co_return Answer(ReplayOutcome::endpoint_gone);
  if (std::holds_alternative<delivery::InFlight>(found.state)) co_return Answer(ReplayOutcome::already_open);
  const auto step = delivery::replay(found.state, found.record, ports.clock.wall());
  SEMEL_CHECK(step.has_value());
  if (!step->already_open) {
    const Result<bool> breaks = co_await would_break_order(found, *endpoint);
    if (!breaks) co_return Answer(std::unexpected(breaks.error()));
    if (*breaks) co_return Answer(ReplayOutcome::would_break_order);
  }

  Entry* entry = line_up.find(found.key);
  if (entry && !line_up.take(*entry)) co_return Answer(ReplayOutcome::already_open);
  const store::CommitAnswer answer =
      co_await store::commit(ports.store, store::ChangeDelivery{.tenant = found.tenant,
                                                                .fence = ports.store.fence(),
                                                                .endpoint = found.endpoint,
                                                                .delivery = found.key,
                                                                .version = found.version,
                                                                .state = step->transition.next,
                                                                .record = step->transition.record});
  if (!std::holds_alternative<store::Committed>(answer)) {
    const bool ends = fatal(answer);
    if (entry && !ends) co_await reread(*entry);
    if (std::holds_alternative<store::Conflict>(answer)) co_return Answer(std::nullopt);
    const auto* refused = std::get_if<store::Refused>(&answer);
    co_return Answer(std::unexpected(
        refused ? refused->error : Error{Fault::unknown_outcome, "whether the replay was recorded is not known"}));
  }
  if (entry) {
    moved_on(*entry, Version{found.version.value + 1}, step->transition);
  } else {
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

// ---- the public face ----

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
  for (store::Delivery& delivery : fresh)
    state_->line_up.insert(std::move(delivery), kept, state_->ports.clock.now(), state_->ports.clock.wall());
  state_->post_pump();
}

bool Dispatcher::overloaded() const { return state_->line_up.sendable() > kSendableMax; }

milliseconds Dispatcher::intake_delay() const {
  return milliseconds(static_cast<std::int64_t>(state_->line_up.sendable() / kSendablePerDelay));
}

Co<Result<ReplayOutcome>> Dispatcher::replay(TenantKey tenant, DeliveryId id) {
  co_return co_await state_->replay(tenant, id);
}

Dispatcher::Counts Dispatcher::counts() const {
  return {.open = state_->line_up.size(),
          .sendable = state_->line_up.sendable(),
          .in_flight = state_->line_up.taken(),
          .attempts = state_->attempts,
          .delivered = state_->delivered};
}

void Dispatcher::on_fatal(std::move_only_function<void(std::string)> f) { state_->fatal_handler = std::move(f); }

void Dispatcher::fatal(std::string note) {
  state_->fatal(store::Unknown{Error{Fault::unknown_outcome, std::move(note)}, true});
}

void Dispatcher::drain() { state_->draining = true; }

}  // namespace semel::engine
