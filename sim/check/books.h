// books.h: events, deliveries and attempts as commits, wires and inspections have told of them so far, kept once for
// all checkers.
//
// Order:      the books are brought up to date after every checker has seen an observation, so that a checker finds in
//             them how things stood before it.
// On a crash: a commit that was under way may be there although nobody heard so. Until the next inspection the books
//             may be behind; is_current() tells. What an inspection says is then taken over.
// Traps:      what was committed is heard a little later, and two commits may be heard the other way round; the engine
//             may have read the store in between. So before the books accuse anybody: stands_at() for a write that was
//             committed, is_at_rest() for another delivery, is_current() for what the books do not have at all.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/check/checker.h"
#include "sim/check/history.h"

namespace semel::sim {

struct EventBook {
  EventKey key;
  EventId id;
  std::uint64_t number = 0;  // MadeEvent's
  std::string type;
  std::optional<std::string> ordering_key;
  std::optional<Sequence> sequence;
  MonotonicTime heard_at;
};

// What came back over the wire for the one request of an attempt.
struct AnswerBook {
  int status = 0;
  bool complete = false;
  std::size_t body_size = 0;
  bool chunked = false;
  std::uint64_t length = 0;  // as its headers say
  std::string disposition;
  std::string retry_after;
};

struct AttemptBook {
  std::uint32_t round = 0;  // 0: its start was not heard
  bool counts = true;
  bool told = false;  // the engine heard that it may send
  WallTime started_at;
  MonotonicTime heard_at;
  std::uint32_t requests = 0;     // left, replays of the network aside
  std::uint32_t wire_number = 0;  // of its request, on its connection
  std::optional<AnswerBook> answer;
  std::optional<store::OutcomeRow> outcome;
};

// What the current round has used up, counted here and not taken from what the engine writes.
struct RoundTally {
  std::uint32_t round = 1;
  std::uint32_t counted = 0;
  std::uint32_t parked_asks = 0;
  std::optional<WallTime> origin;  // when its first attempt began
  bool waited = false;             // a Retry-After was obeyed: the policy's clock stood for a time
  bool exact = true;               // nothing of the round can have been missed
};

struct DeliveryBook;

// The events of one ordering key on one endpoint.
struct LineBook {
  std::map<Sequence, DeliveryBook*> deliveries;
  std::map<Sequence, DeliveryBook*> unsettled;  // neither ever delivered nor cancelled
  MonotonicTime closed_at{-1};                  // when one of them last was delivered or cancelled
};

struct DeliveryBook {
  DeliveryKey key;
  EndpointKey endpoint_key;
  EndpointId endpoint;
  EventBook* event = nullptr;
  LineBook* line = nullptr;  // when the event has an ordering key
  Version version;
  delivery::State state;
  delivery::Record record;
  std::vector<AttemptBook> attempts;  // by number, from 1
  RoundTally tally;
  std::vector<Version> taken_at;  // versions that a committed write named
  Version asked_at;               // the highest that a write named, whatever became of it
  std::uint32_t epoch = 0;

  delivery::StateName state_name() const { return delivery::name_of(state); }
  const AttemptBook* attempt(std::uint32_t number) const {
    return number >= 1 && number <= attempts.size() ? &attempts[number - 1] : nullptr;
  }
  DeliveryId id() const { return {event->id, endpoint}; }
  std::string text() const { return event->id.text + "." + endpoint.text; }
};

class Books {
 public:
  explicit Books(const Known& known) : known_(known) {}

  const MadeEvent* made(std::uint64_t number) const;
  const EventBook* event(EventKey key) const;
  const EventBook* event(std::string_view id) const;
  const DeliveryBook* delivery(DeliveryKey key) const;
  const DeliveryBook* delivery(std::string_view event, const EndpointId& endpoint) const;
  const std::deque<EventBook>& events() const { return events_; }
  const std::deque<DeliveryBook>& deliveries() const { return deliveries_; }
  const KnownEndpoint* endpoint(const DeliveryBook& book) const { return known_.endpoint(book.endpoint); }

  // No event or delivery can be in the store that the books do not have.
  bool is_current() const;
  // The delivery of a write-set, if the books have it just as that write-set found it; else nullptr.
  template <class WriteSet>
  const DeliveryBook* stands_at(const WriteSet& write_set) const {
    const DeliveryBook* book = delivery(write_set.delivery);
    return book && book->version == write_set.version && is_current(*book) ? book : nullptr;
  }
  // The store has the delivery as the books have it.
  bool is_at_rest(const DeliveryBook& book) const { return is_current(book) && book.asked_at < book.version; }
  std::uint32_t incarnation() const { return epoch_; }  // rises with each crash of the server

  // ---- what the keeper does ----
  void note_submitted(const Submission& submission);
  void note_left(const WireRequest& request, const KnownEndpoint* endpoint);
  void note_answer(const WireAnswer& answer, const WireRequest& to, const KnownEndpoint* endpoint);
  void note_asked(const store::WriteSet& write_set);
  void note_done(const store::WriteSet& write_set);
  void note_committed(const store::WriteSet& write_set, CommitFate fate, const store::Committed& committed);
  void note_crash() { ++epoch_; }
  void note_inspection(const Inspection& inspection);

 private:
  EventBook& add_event(EventBook event);
  DeliveryBook& add_delivery(DeliveryBook delivery, std::optional<Sequence> sequence);
  bool is_current(const DeliveryBook& book) const { return inspected_epoch_ == epoch_ || book.epoch == epoch_; }
  DeliveryBook* find(DeliveryKey key);
  DeliveryBook* find(std::string_view event, const EndpointId& endpoint);
  void move(DeliveryBook& book, Version version, const delivery::State& state, const delivery::Record& record);
  void take(const store::Intake& intake, const store::IntakeAnswer& answer);
  void begin(const store::StartAttempt& start, CommitFate fate);
  void settle(const store::SettleAttempt& settle);
  void change(const store::ChangeDelivery& change);
  void cancel_all(const EndpointId& endpoint);
  template <class WriteSet>
  void take_over(DeliveryBook& book, const WriteSet& write_set);

  const Known& known_;
  std::unordered_map<std::uint64_t, MadeEvent> made_;
  std::deque<EventBook> events_;
  std::deque<DeliveryBook> deliveries_;
  std::vector<EventBook*> by_event_key_;
  std::vector<DeliveryBook*> by_delivery_key_;
  std::unordered_map<std::string_view, EventBook*> by_event_id_;  // the text stands in the book
  std::map<std::pair<EndpointKey, std::string>, LineBook> lines_;
  std::unordered_map<std::string_view, std::vector<DeliveryBook*>> by_event_;
  struct UnderWay {
    EventId first;
    MonotonicTime asked_at;
  };
  std::vector<UnderWay> intakes_;  // not heard of again; lost ones among them
  std::uint32_t epoch_ = 0;
  std::uint32_t inspected_epoch_ = 0;
};

// Brings the books up to date; judges nothing. The last of all checkers.
std::unique_ptr<Checker> make_book_keeper(const Known& known, const Checker::Violated& violated,
                                          std::shared_ptr<Books> books);

}  // namespace semel::sim
