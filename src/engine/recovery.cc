// recovery.cc: how the dispatcher's memory is brought in line with the store: at start, and when the store was in doubt
// or says something else.
#include <utility>

#include "base/check.h"
#include "base/planted.h"
#include "base/probe.h"
#include "engine/dispatcher_state.h"

namespace semel::engine {
namespace {

constexpr std::size_t kLoadPage = 2'000;

}  // namespace

Co<Result<void>> Dispatcher::State::load() {
  if (started) {
    const Result<void> found = co_await endpoints.find_missing();
    if (!found) co_return found;
  }
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
    leave_out_known(*page);
    if (planted(Planted::lapsed_attempt_forgotten))
      std::erase_if(*page, [](const auto& found) { return std::holds_alternative<delivery::InFlight>(found.state); });
    if (planted(Planted::recovery_forgets_parked))
      std::erase_if(*page, [](const auto& found) { return std::holds_alternative<delivery::Parked>(found.state); });
    if (started) {
      page = co_await read_again(*std::move(page));
      if (!page) co_return std::unexpected(std::move(page).error());
      leave_out_known(*page);
    }
    co_await settle_all_lapsed(*page);
    for (store::Delivery& found : *page) {
      if (std::holds_alternative<delivery::InFlight>(found.state)) {
        probe::reached<"recovery.cannot_record_a_lapse">();
        co_return fail(Fault::unavailable, "an attempt without outcome could not be recorded as lapsed");
      }
      probe::sometimes<"recovery.finds_what_was_in_doubt">(started);
      probe::sometimes<"recovery.finds_a_parked_one">(std::holds_alternative<delivery::Parked>(found.state));
      probe::sometimes<"recovery.finds_a_dead_one_that_holds_its_key">(
          std::holds_alternative<delivery::Dead>(found.state));
      line_up.insert(std::move(found), nullptr, ports.clock.now(), ports.clock.wall());
    }
  }
}

void Dispatcher::State::leave_out_known(std::vector<store::Delivery>& page) {
  std::erase_if(page, [this](const store::Delivery& found) { return line_up.find(found.key) != nullptr; });
}

// While attempts run, some that memory does not know any more have ended since the page was read.
Co<Result<std::vector<store::Delivery>>> Dispatcher::State::read_again(std::vector<store::Delivery> page) {
  using Page = Result<std::vector<store::Delivery>>;
  co_return co_await store::read(ports.store, [&page](store::StoreReader& reader) -> Page {
    std::vector<store::Delivery> current;
    for (const store::Delivery& found : page) {
      SEMEL_TRY(row, reader.delivery(found.key));
      const bool dead = row && std::holds_alternative<delivery::Dead>(row->state);
      if (row && (dead || delivery::is_open(delivery::name_of(row->state)))) current.push_back(*std::move(row));
    }
    return current;
  });
}

// All at once, so that they share their commits.
Co<void> Dispatcher::State::settle_all_lapsed(std::vector<store::Delivery>& page) {
  Signal settled(ports.executor);
  std::size_t left = 0;
  for (store::Delivery& found : page) {
    if (!std::holds_alternative<delivery::InFlight>(found.state)) continue;
    ++left;
    scope.spawn(settle_one_of(found, left, settled));
  }
  probe::sometimes<"recovery.several_lapse_together">(left > 1);
  while (left > 0) co_await settled.wait();
}

Co<void> Dispatcher::State::settle_one_of(store::Delivery& found, std::size_t& left, Signal& settled) {
  co_await settle_lapsed(found);
  --left;
  settled.notify();
}

void Dispatcher::State::begin_to_look_again(std::string_view note) {
  probe::sometimes<"recovery.another_doubt_while_looking">(looking_again);
  look_once_more = looking_again;
  if (std::exchange(looking_again, true)) return;
  ports.telemetry.note(Level::warning, "store_in_doubt", {{"note", std::string(note)}});
  scope.spawn(look_again());
}

// After a commit whose outcome is not known: what it stored all the same is not in memory yet. What other commits make
// meanwhile waits, since it may have to go behind that.
Co<void> Dispatcher::State::look_again() {
  probe::reached<"recovery.looks_again">();
  do {
    look_once_more = false;
    do co_await back_off();
    while (!draining && !(co_await load()));
  } while (look_once_more);
  looking_again = false;
  probe::sometimes<"recovery.others_had_to_wait">(!taken_in_doubt.empty());
  for (Fresh& fresh : std::exchange(taken_in_doubt, {}))
    if (!line_up.find(fresh.delivery.key)) take(std::move(fresh));
  post_pump();
}

void Dispatcher::State::take(Fresh fresh) {
  if (looking_again)
    taken_in_doubt.push_back(std::move(fresh));
  else
    line_up.insert(std::move(fresh.delivery), fresh.body, ports.clock.now(), ports.clock.wall());
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
  probe::reached<"recovery.records_a_lapse">();
  found.version = Version{found.version.value + 1};
  found.state = std::move(step->next);
  found.record = step->record;
}

Co<void> Dispatcher::State::back_off() { co_await sleep_until(ports.clock, ports.clock.now() + kStoreBackOff); }

// After a conflict: it may be what has changed. An unreadable store shows itself in what is read next.
Co<void> Dispatcher::State::reload_endpoint(EndpointKey key) { static_cast<void>(co_await endpoints.reload(key)); }

// Takes what the store says about the delivery over the memory's version. Bounded by the process: the store either
// becomes readable and writable again or ends it.
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
    probe::sometimes<"recovery.rereads_an_attempt_begun_in_doubt">(
        std::holds_alternative<delivery::InFlight>(delivery.state));
    if (std::holds_alternative<delivery::InFlight>(delivery.state)) co_await settle_lapsed(delivery);
    if (std::holds_alternative<delivery::InFlight>(delivery.state)) {
      probe::reached<"recovery.lapse_has_to_be_repeated">();
      co_await back_off();
      continue;
    }
    entry.delivery = std::move(delivery);
    ended(entry);
    co_return;
  }
}

bool Dispatcher::State::fatal(const store::CommitAnswer& answer) {
  const auto* unknown = std::get_if<store::Unknown>(&answer);
  if (!unknown || !unknown->fatal) return false;
  probe::reached<"dispatcher.store_lost">();
  draining = true;
  if (fatal_handler) fatal_handler(unknown->error.note);
  return true;
}

}  // namespace semel::engine
