// books.cc: see books.h. From the top: looking up, what producers and wires tell, commits, inspections.
#include "sim/check/books.h"

#include <algorithm>
#include <charconv>

#include "base/match.h"
#include "sim/check/body_text.h"

namespace semel::sim {
namespace {

template <class Key, class Book>
Book* at(const std::vector<Book*>& books, Key key) {
  const auto index = static_cast<std::size_t>(key.value);
  return key.value >= 0 && index < books.size() ? books[index] : nullptr;
}

template <class Key, class Book>
void put(std::vector<Book*>& books, Key key, Book* book) {
  const auto index = static_cast<std::size_t>(key.value);
  if (index >= books.size()) books.resize(std::max(index + 1, books.size() * 2));
  books[index] = book;
}

RoundTally tally_of(const delivery::Record& record) {
  return {.round = record.round,
          .counted = record.progress.counted,
          .parked_asks = record.parked_asks,
          .origin = record.progress.clock_origin,
          .waited = true};  // nobody knows
}

std::string_view header(const WireAnswer& answer, std::string_view name) {
  for (const auto& [key, value] : answer.headers)
    if (key == name) return value;
  return {};
}

}  // namespace

const MadeEvent* Books::made(std::uint64_t number) const {
  const auto found = made_.find(number);
  return found == made_.end() ? nullptr : &found->second;
}
const EventBook* Books::event(EventKey key) const { return at(by_event_key_, key); }
const EventBook* Books::event(std::string_view id) const {
  const auto found = by_event_id_.find(id);
  return found == by_event_id_.end() ? nullptr : found->second;
}
const DeliveryBook* Books::delivery(DeliveryKey key) const { return at(by_delivery_key_, key); }
DeliveryBook* Books::find(DeliveryKey key) { return at(by_delivery_key_, key); }

const DeliveryBook* Books::delivery(std::string_view event, const EndpointId& endpoint) const {
  const auto found = by_event_.find(event);
  if (found == by_event_.end()) return nullptr;
  const auto one = std::ranges::find(found->second, endpoint, &DeliveryBook::endpoint);
  return one == found->second.end() ? nullptr : *one;
}
DeliveryBook* Books::find(std::string_view event, const EndpointId& endpoint) {
  return const_cast<DeliveryBook*>(std::as_const(*this).delivery(event, endpoint));
}

// An intake that nobody has heard of for so long was lost.
constexpr Nanoseconds kLongestUnheard = std::chrono::minutes(5);

bool Books::is_current() const {
  return inspected_epoch_ == epoch_ && std::ranges::none_of(intakes_, [this](const UnderWay& intake) {
           return known_.now - intake.asked_at < kLongestUnheard;
         });
}

// ---- producers and wires ----

void Books::note_submitted(const Submission& submission) {
  for (const MadeEvent& event : submission.events) made_.try_emplace(event.number, event);
}

void Books::note_left(const WireRequest& request, const KnownEndpoint* endpoint) {
  if (!endpoint) return;
  DeliveryBook* book = find(request.header("webhook-id"), endpoint->id);
  const std::uint64_t number = whole_number(request.header("semel-attempt")).value_or(0);
  if (!book || number == 0 || number > book->attempts.size()) return;
  AttemptBook& attempt = book->attempts[number - 1];
  ++attempt.requests;
  attempt.wire_number = request.number;
}

void Books::note_answer(const WireAnswer& answer, const WireRequest& to, const KnownEndpoint* endpoint) {
  if (!endpoint) return;
  DeliveryBook* book = find(to.header("webhook-id"), endpoint->id);
  const std::uint64_t number = whole_number(to.header("semel-attempt")).value_or(0);
  if (!book || number == 0 || number > book->attempts.size()) return;
  std::optional<AnswerBook>& kept = book->attempts[number - 1].answer;
  if (!kept)
    kept = AnswerBook{.status = answer.status,
                      .chunked = !header(answer, "transfer-encoding").empty(),
                      .length = whole_number(header(answer, "content-length")).value_or(0),
                      .disposition = std::string(header(answer, "semel-disposition")),
                      .retry_after = std::string(header(answer, "retry-after"))};
  kept->complete = kept->complete || answer.complete;
  kept->body_size = std::max(kept->body_size, answer.body.size());
}

// ---- commits ----

EventBook& Books::add_event(EventBook event) {
  events_.push_back(std::move(event));
  EventBook& book = events_.back();
  put(by_event_key_, book.key, &book);
  by_event_id_.insert_or_assign(book.id.text, &book);
  return book;
}

DeliveryBook& Books::add_delivery(DeliveryBook delivery, std::optional<Sequence> sequence) {
  deliveries_.push_back(std::move(delivery));
  DeliveryBook& book = deliveries_.back();
  put(by_delivery_key_, book.key, &book);
  by_event_[book.event->id.text].push_back(&book);
  if (book.event->ordering_key && sequence) {
    book.line = &lines_[{book.endpoint_key, *book.event->ordering_key}];
    book.line->deliveries.insert_or_assign(*sequence, &book);
  }
  move(book, book.version, book.state, book.record);
  return book;
}

void Books::move(DeliveryBook& book, Version version, const delivery::State& state, const delivery::Record& record) {
  if (!is_current(book)) book.tally.exact = false;
  book.version = version;
  book.state = state;
  book.record = record;
  book.epoch = epoch_;
  if (record.attempts > book.attempts.size()) book.attempts.resize(record.attempts);
  if (book.tally.round != record.round) book.tally = {.round = record.round, .origin = {}};
  if (!book.line || !book.event->sequence) return;
  const bool closed =
      std::holds_alternative<delivery::Delivered>(state) || std::holds_alternative<delivery::Cancelled>(state);
  if (closed) book.line->closed_at = known_.now;
  if (closed || record.first_delivered_at)
    book.line->unsettled.erase(*book.event->sequence);
  else
    book.line->unsettled.insert_or_assign(*book.event->sequence, &book);
}

// What was heard before it, though it came later, stays.
template <class WriteSet>
void Books::take_over(DeliveryBook& book, const WriteSet& write_set) {
  book.taken_at.push_back(write_set.version);
  const Version version{write_set.version.value + 1};
  if (version > book.version) move(book, version, write_set.state, write_set.record);
}

void Books::note_asked(const store::WriteSet& write_set) {
  const auto about = [this](DeliveryKey key, Version version) {
    if (DeliveryBook* book = find(key)) book->asked_at = std::max(book->asked_at, version);
  };
  if (const auto* intake = std::get_if<store::Intake>(&write_set); intake && !intake->items.empty())
    intakes_.push_back({intake->items.front().fresh_id, known_.now});
  if (const auto* start = std::get_if<store::StartAttempt>(&write_set)) about(start->delivery, start->version);
  if (const auto* settled = std::get_if<store::SettleAttempt>(&write_set)) about(settled->delivery, settled->version);
  if (const auto* changed = std::get_if<store::ChangeDelivery>(&write_set)) about(changed->delivery, changed->version);
}

void Books::note_done(const store::WriteSet& write_set) {
  const auto* intake = std::get_if<store::Intake>(&write_set);
  if (!intake || intake->items.empty()) return;
  const auto found = std::ranges::find(intakes_, intake->items.front().fresh_id, &UnderWay::first);
  if (found != intakes_.end()) intakes_.erase(found);
}

void Books::note_committed(const store::WriteSet& write_set, CommitFate fate, const store::Committed& committed) {
  match(
      write_set,
      [&](const store::Intake& intake) {
        if (const auto* answer = std::get_if<store::IntakeAnswer>(&committed.made)) take(intake, *answer);
      },
      [&](const store::StartAttempt& start) { begin(start, fate); },
      [&](const store::SettleAttempt& settled) { settle(settled); },
      [&](const store::ChangeDelivery& changed) { change(changed); },
      [&](const store::DeleteEndpoint& gone) { cancel_all(gone.id); }, [](const store::LateOutcome&) {},
      [](const store::CreateEndpoint&) {}, [](const store::CreateSubscription&) {},
      [](const store::DeleteSubscription&) {}, [](const store::CreateApiKey&) {}, [](const store::DeleteApiKey&) {});
}

void Books::take(const store::Intake& intake, const store::IntakeAnswer& answer) {
  for (std::size_t i = 0; i < answer.items.size() && i < intake.items.size(); ++i) {
    const auto* taken = std::get_if<store::Taken>(&answer.items[i]);
    if (!taken || !taken->body) continue;
    const event::Submission& submission = intake.items[i].submission;
    EventBook& event = add_event({.key = taken->body->key,
                                  .id = taken->id,
                                  .number = number_in_data(submission.data),
                                  .type = submission.type,
                                  .ordering_key = submission.ordering_key,
                                  .sequence = taken->sequence,
                                  .heard_at = known_.now});
    // The answer names them in the order in which they were made.
    for (std::size_t d = 0; d < taken->fresh.size() && d < taken->endpoints.size(); ++d) {
      const store::Delivery& fresh = taken->fresh[d];
      add_delivery({.key = fresh.key,
                    .endpoint_key = fresh.endpoint,
                    .endpoint = taken->endpoints[d],
                    .event = &event,
                    .version = fresh.version,
                    .state = fresh.state,
                    .record = fresh.record,
                    .attempts = {},
                    .tally = {},
                    .taken_at = {}},
                   fresh.sequence);
    }
  }
}

void Books::begin(const store::StartAttempt& start, CommitFate fate) {
  DeliveryBook* book = find(start.delivery);
  if (!book) return;
  const std::uint32_t number = start.record.attempts;
  if (number > book->attempts.size()) book->attempts.resize(number);
  AttemptBook& attempt = book->attempts[number - 1];
  attempt.round = start.record.round;
  attempt.counts = start.state.counts;
  attempt.started_at = start.state.started_at;
  attempt.told = fate == CommitFate::told;
  attempt.heard_at = known_.now;
  take_over(*book, start);
  RoundTally& tally = book->tally;
  if (tally.round == start.record.round && !tally.origin) tally.origin = start.state.started_at;
}

void Books::settle(const store::SettleAttempt& settle) {
  DeliveryBook* book = find(settle.delivery);
  if (!book || settle.attempt == 0 || settle.attempt > book->attempts.size()) return;
  AttemptBook& attempt = book->attempts[settle.attempt - 1];
  attempt.outcome = settle.outcome;
  take_over(*book, settle);
  RoundTally& tally = book->tally;
  if (tally.round != settle.record.round) return;
  if (settle.outcome.result == "parked")
    ++tally.parked_asks;
  else if (settle.outcome.reason != "lapsed" && attempt.counts)
    ++tally.counted;
  if (attempt.answer && !attempt.answer->retry_after.empty()) tally.waited = true;
}

void Books::change(const store::ChangeDelivery& change) {
  if (DeliveryBook* book = find(change.delivery)) take_over(*book, change);
}

void Books::cancel_all(const EndpointId& endpoint) {
  for (DeliveryBook& book : deliveries_)
    if (book.endpoint == endpoint && delivery::is_open(book.state_name()))
      move(book, {book.version.value + 1}, delivery::Cancelled{known_.wall, "endpoint_deleted"}, book.record);
}

// ---- inspections ----

void Books::note_inspection(const Inspection& inspection) {
  for (const store::EventView& view : inspection.events) {
    const EventBook* known = event(view.key);
    if (known && known->id == view.id) continue;
    add_event({.key = view.key,
               .id = view.id,
               .number = number_in_envelope(view.envelope),
               .type = view.type,
               .ordering_key = view.ordering_key,
               .sequence = view.sequence,
               .heard_at = known_.now});
  }
  for (const store::DeliveryView& view : inspection.deliveries) {
    DeliveryBook* book = find(view.key);
    if (!book || book->event->id != view.id.event || book->endpoint != view.id.endpoint) {
      const auto event = by_event_id_.find(view.id.event.text);
      if (event == by_event_id_.end()) continue;
      add_delivery({.key = view.key,
                    .endpoint_key = view.endpoint,
                    .endpoint = view.id.endpoint,
                    .event = event->second,
                    .version = view.version,
                    .state = view.state,
                    .record = view.record,
                    .attempts = {},
                    .tally = tally_of(view.record),
                    .taken_at = {}},
                   view.sequence);
    } else if (book->version != view.version) {
      move(*book, view.version, view.state, view.record);
      book->tally = tally_of(view.record);
    }
  }
  inspected_epoch_ = epoch_;
  if (inspection.when == Inspection::When::restarted) intakes_.clear();
}

}  // namespace semel::sim
