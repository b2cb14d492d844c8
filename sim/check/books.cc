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

const KnownEndpoint* Books::endpoint(EndpointKey key) const {
  const auto found = known_.endpoint_of_key.find(key);
  return found == known_.endpoint_of_key.end() ? nullptr : known_.endpoint(found->second);
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
  book.version = version;
  book.state = state;
  book.record = record;
  book.epoch = epoch_;
  if (record.attempts > book.attempts.size()) book.attempts.resize(record.attempts);
  if (const auto* flight = std::get_if<delivery::InFlight>(&state)) {
    AttemptBook& attempt = book.attempts[record.attempts - 1];
    attempt.round = record.round;
    attempt.counts = flight->counts;
    attempt.started_at = flight->started_at;
  }
  if (!book.line || !book.event->sequence) return;
  const bool closed =
      std::holds_alternative<delivery::Delivered>(state) || std::holds_alternative<delivery::Cancelled>(state);
  if (closed) book.line->closed_at = known_.now;
  if (closed || record.first_delivered_at)
    book.line->unsettled.erase(*book.event->sequence);
  else
    book.line->unsettled.insert_or_assign(*book.event->sequence, &book);
}

void Books::note_committed(const store::WriteSet& write_set, CommitFate fate, const store::Committed& committed) {
  match(
      write_set,
      [&](const store::Intake& intake) {
        if (const auto* answer = std::get_if<store::IntakeAnswer>(&committed.made)) take(intake, *answer);
      },
      [&](const store::StartAttempt& start) { begin(start, fate); },
      [&](const store::SettleAttempt& settled) { settle(settled); },
      [&](const store::ChangeDelivery& change) {
        if (DeliveryBook* book = find(change.delivery))
          move(*book, {change.version.value + 1}, change.state, change.record);
      },
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
    for (const store::Delivery& fresh : taken->fresh) {
      const KnownEndpoint* endpoint = this->endpoint(fresh.endpoint);
      add_delivery({.key = fresh.key,
                    .endpoint_key = fresh.endpoint,
                    .endpoint = endpoint ? endpoint->id : EndpointId{},
                    .event = &event,
                    .version = fresh.version,
                    .state = fresh.state,
                    .record = fresh.record,
                    .attempts = {}},
                   fresh.sequence);
    }
  }
}

void Books::begin(const store::StartAttempt& start, CommitFate fate) {
  DeliveryBook* book = find(start.delivery);
  if (!book) return;
  move(*book, {start.version.value + 1}, start.state, start.record);
  AttemptBook& attempt = book->attempts[start.record.attempts - 1];
  attempt.told = fate == CommitFate::told;
  attempt.heard_at = known_.now;
}

void Books::settle(const store::SettleAttempt& settle) {
  DeliveryBook* book = find(settle.delivery);
  if (!book) return;
  move(*book, {settle.version.value + 1}, settle.state, settle.record);
  if (settle.attempt >= 1 && settle.attempt <= book->attempts.size())
    book->attempts[settle.attempt - 1].outcome = settle.outcome;
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
                    .attempts = {}},
                   view.sequence);
    } else if (book->version != view.version) {
      move(*book, view.version, view.state, view.record);
    }
  }
  inspected_epoch_ = epoch_;
}

// ---- the keeper ----

namespace {

class BookKeeper final : public Checker {
 public:
  BookKeeper(const Known& known, Violated violated, std::shared_ptr<Books> books)
      : Checker(known, std::move(violated)), books_(std::move(books)) {}
  std::string_view name() const override { return "books"; }

  void submitted(const Submission& submission) override { books_->note_submitted(submission); }
  void request_left(const WireRequest& request, const KnownEndpoint* endpoint) override {
    books_->note_left(request, endpoint);
  }
  void answer_arrived(const WireAnswer& answer, const WireRequest& to, const KnownEndpoint* endpoint) override {
    books_->note_answer(answer, to, endpoint);
  }
  void commit_done(const store::WriteSet& write_set, Fence, CommitFate fate,
                   const store::CommitAnswer& answer) override {
    if (const auto* committed = std::get_if<store::Committed>(&answer))
      books_->note_committed(write_set, fate, *committed);
  }
  void crashed(std::string_view process) override {
    if (process == kServerProcess) books_->note_crash();
  }
  void inspected(const Inspection& inspection) override { books_->note_inspection(inspection); }

 private:
  std::shared_ptr<Books> books_;
};

}  // namespace

std::unique_ptr<Checker> make_book_keeper(const Known& known, const Checker::Violated& violated,
                                          std::shared_ptr<Books> books) {
  return std::make_unique<BookKeeper>(known, violated, std::move(books));
}

}  // namespace semel::sim
