// order.cc: per key in order, at the sender and at the receiver, and nothing waits unseen.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "sim/check/body_text.h"
#include "sim/check/groups.h"

namespace semel::sim {
namespace {

bool is_per_key(const KnownEndpoint* endpoint) {
  return endpoint && endpoint->config.ordering == endpoint::Ordering::per_key;
}

// Per endpoint and key effects come in rising sequence, which is the order the producer meant; and on a per-key
// endpoint nobody is sent for the first time while one before it is neither delivered nor cancelled.
class OrderKey final : public BookChecker {
 public:
  using BookChecker::BookChecker;
  std::string_view name() const override { return "I-ORDER-KEY"; }

  void effect_made(const Effect& effect) override {
    if (!effect.key || !effect.sequence) return;
    const MadeEvent* made = books_.made(number_in_data(effect.data));
    const std::uint64_t index = made ? made->index : 0;
    const auto [line, is_first] =
        last_.try_emplace({effect.receiver, effect.source, effect.endpoint, *effect.key}, *effect.sequence, index);
    if (is_first) return;
    auto& [last_sequence, last_index] = line->second;
    if (*effect.sequence <= last_sequence || (made && index <= last_index))
      violated(fmt::format("{} applied sequence {} of {} (the producer's {}) after {} (the producer's {})",
                           effect.receiver, *effect.sequence, *effect.key, index, last_sequence, last_index));
    last_sequence = *effect.sequence;
    last_index = index;
  }

  void commit_done(const store::WriteSet& write_set, Fence, CommitFate, const store::CommitAnswer& answer) override {
    const auto* start = std::get_if<store::StartAttempt>(&write_set);
    if (!start || start->record.attempts != 1 || !std::holds_alternative<store::Committed>(answer)) return;
    const DeliveryBook* book = books_.delivery(start->delivery);
    if (!book || !book->line || book->line->unsettled.empty() || !is_per_key(books_.endpoint(*book))) return;
    const DeliveryBook& before = *book->line->unsettled.begin()->second;
    if (before.event->sequence >= book->event->sequence || !books_.is_at_rest(before)) return;
    violated(fmt::format("{} is sent while sequence {} of its key is {}", book->text(), *before.event->sequence,
                         delivery::name_of(before.state_name())));
  }

 private:
  using Line = std::tuple<std::string, std::string, EndpointId, std::string>;
  struct Last {
    Sequence sequence;
    std::uint64_t index;
  };
  std::map<Line, Last> last_;
};

// Each request names the one before it on its endpoint; nothing is applied before that one; and what was answered
// `parked` is there until it is applied.
class Park final : public BookChecker {
 public:
  using BookChecker::BookChecker;
  std::string_view name() const override { return "I-PARK"; }

  void request_left(const WireRequest& request, const KnownEndpoint* endpoint) override {
    const DeliveryBook* book = endpoint ? books_.delivery(request.header("webhook-id"), endpoint->id) : nullptr;
    if (!book || !book->line) return;
    Named& named = named_[book->key];
    if (named.is_checked) return;
    const std::optional<SplitBody> body = split_body(request.body);
    if (!body || !body->after)
      return violated(fmt::format("a request of {} does not name the event before it", book->text()));
    named = {*body->after, books_.is_current()};
    const Sequence before = sequence_before(*book);
    if (named.is_checked && named.after != before)
      violated(
          fmt::format("{} names sequence {} as the one before it, which is {}", book->text(), named.after, before));
  }

  void answer_arrived(const WireAnswer& answer, const WireRequest& to, const KnownEndpoint* endpoint) override {
    if (answer.status != 202 || !endpoint || endpoint->kind != ReceiverKind::honest) return;
    const auto says = [](const auto& field) { return field.first == "semel-disposition" && field.second == "parked"; };
    if (std::ranges::none_of(answer.headers, says)) return;
    if (const DeliveryBook* book = books_.delivery(to.header("webhook-id"), endpoint->id)) parked_.insert(book->key);
  }

  void effect_made(const Effect& effect) override {
    if (!effect.key || !effect.sequence) return;
    std::set<Sequence>& applied = applied_[{effect.receiver, effect.source, *effect.key}];
    const DeliveryBook* book = books_.delivery(effect.event.text, effect.endpoint);
    const auto named = book ? named_.find(book->key) : named_.end();
    // Through whichever endpoint: the inbox lets what it has applied move each endpoint's position.
    if (named != named_.end() && named->second.after > 0) {
      const auto behind = applied.lower_bound(named->second.after);
      if (behind == applied.end() || *behind >= *effect.sequence)
        violated(fmt::format("{} applied sequence {} of {} before sequence {}, which it comes after", effect.receiver,
                             *effect.sequence, *effect.key, named->second.after));
    }
    applied.insert(*effect.sequence);
  }

  void inspected(const Inspection& inspection) override {
    for (const ReceiverState& state : inspection.receivers) {
      const std::uint64_t owed = parked_without_record(state);
      if (owed > state.parked_now + state.late)
        violated(fmt::format("{} answered `parked` for {} events that it has no record of, and keeps {}",
                             state.receiver, owed, state.parked_now));
    }
  }

 private:
  // What a delivery says is before it.
  struct Named {
    Sequence after = 0;
    bool is_checked = false;  // the books had all that could be before it
  };

  static Sequence sequence_before(const DeliveryBook& book) {
    const auto self = book.line->deliveries.lower_bound(*book.event->sequence);
    return self == book.line->deliveries.begin() ? 0 : std::prev(self)->first;
  }

  std::uint64_t parked_without_record(const ReceiverState& state) const {
    if (parked_.empty()) return 0;
    std::set<std::pair<std::string_view, std::string_view>> records;
    for (const ReceiverState::Record& record : state.records) records.emplace(record.event.text, record.endpoint.text);
    std::uint64_t owed = 0;
    for (const DeliveryKey key : parked_) {
      const DeliveryBook* book = books_.delivery(key);
      const KnownEndpoint* endpoint = book ? books_.endpoint(*book) : nullptr;
      if (endpoint && endpoint->receiver == state.receiver &&
          !records.contains({book->event->id.text, book->endpoint.text}))
        ++owed;
    }
    return owed;
  }

  std::unordered_map<DeliveryKey, Named> named_;
  std::unordered_set<DeliveryKey> parked_;                                                   // as answered
  std::map<std::tuple<std::string, std::string, std::string>, std::set<Sequence>> applied_;  // receiver, source, key
};

// Who waits for its key says for whom; and in the end nothing is parked, here or at a receiver.
class ParkTerminal final : public BookChecker {
 public:
  using BookChecker::BookChecker;
  std::string_view name() const override { return "I-PARK-TERMINAL"; }

  void inspected(const Inspection& inspection) override {
    if (inspection.when == Inspection::When::restarted) return;
    check_blocked(inspection);
    if (inspection.when == Inspection::When::end) check_nothing_parked(inspection);
  }

 private:
  using Line = std::pair<EndpointKey, std::string_view>;

  void check_blocked(const Inspection& inspection) {
    std::map<Line, const store::DeliveryView*> lowest;  // open or dead
    for (const store::DeliveryView& view : inspection.deliveries) {
      const delivery::StateName state = delivery::name_of(view.state);
      if (!view.sequence || (!delivery::is_open(state) && state != delivery::StateName::dead)) continue;
      const store::DeliveryView*& first = lowest[{view.endpoint, *view.ordering_key}];
      if (!first || *view.sequence < *first->sequence) first = &view;
    }
    for (const store::DeliveryView& view : inspection.deliveries) {
      const delivery::StateName state = delivery::name_of(view.state);
      const bool waits = delivery::is_open(state) && state != delivery::StateName::in_flight;
      const store::DeliveryView* first = nullptr;
      if (waits && view.sequence && is_per_key(known_.endpoint(view.id.endpoint)))
        first = lowest.at({view.endpoint, *view.ordering_key});
      const bool is_blocked = first && first != &view;
      if (is_blocked != view.blocked_by.has_value() || (is_blocked && *view.blocked_by != first->id.event))
        violated(fmt::format("{} waits for {} and says it waits for {}", format_delivery_id(view.id),
                             is_blocked ? first->id.event.text : "nobody",
                             view.blocked_by ? view.blocked_by->text : "nobody"));
    }
  }

  void check_nothing_parked(const Inspection& inspection) {
    std::map<std::string_view, std::uint64_t> left_behind;  // by receiver
    for (const store::DeliveryView& view : inspection.deliveries) {
      if (std::holds_alternative<delivery::Parked>(view.state))
        violated(fmt::format("{} is parked for ever", format_delivery_id(view.id)));
      const KnownEndpoint* endpoint = known_.endpoint(view.id.endpoint);
      const bool over_undelivered =
          std::holds_alternative<delivery::Cancelled>(view.state) || std::holds_alternative<delivery::Dead>(view.state);
      if (endpoint && over_undelivered) ++left_behind[endpoint->receiver];
    }
    for (const ReceiverState& state : inspection.receivers) {
      // A deleted endpoint may leave behind what waits for an event that nobody will send.
      if (state.parked_now > left_behind[state.receiver])
        violated(fmt::format("{} keeps {} events parked for ever", state.receiver, state.parked_now));
    }
  }
};

}  // namespace

void make_order_checkers(Making& making) {
  making.add<OrderKey>();
  making.add<Park>();
  making.add<ParkTerminal>();
}

}  // namespace semel::sim
