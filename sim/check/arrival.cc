// arrival.cc: every event reaches whom it is for, in time, or lies dead with everything that was known of it.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "base/json.h"
#include "sim/check/groups.h"

namespace semel::sim {
namespace {

// The rule of subscriptions, written apart from core/routing.
bool takes(const std::vector<std::string>& event_types, std::string_view type) {
  return std::ranges::any_of(event_types, [type](std::string_view pattern) {
    if (pattern == "*" || pattern == type) return true;
    if (!pattern.ends_with(".*")) return false;
    const std::string_view prefix = pattern.substr(0, pattern.size() - 1);
    return type.size() > prefix.size() && type.substr(0, prefix.size()) == prefix;
  });
}

// An accepted event has a delivery for each endpoint that was certainly there and takes its type, and for none that
// certainly was not (of an event that comes again under its own id only the first time counts); in the end each is
// delivered, with its effect at an honest receiver, or cancelled with its endpoint.
class AtLeastOnce final : public BookChecker {
 public:
  using BookChecker::BookChecker;
  std::string_view name() const override { return "I-AT-LEAST-ONCE"; }

  void endpoint_made(const KnownEndpoint& endpoint) override { lives_[endpoint.id].made = ++moment_; }
  void endpoint_delete_asked(const EndpointId& id) override { lives_[id].delete_asked = ++moment_; }
  void endpoint_deleted(const EndpointId& id) override { lives_[id].deleted = ++moment_; }
  void subscription_is(const KnownSubscription& subscription, SubscriptionStage stage) override {
    Further& further = further_[subscription.endpoint][subscription.number];
    further.event_types = subscription.event_types;
    ++moment_;
    if (stage == SubscriptionStage::made) further.life.made = moment_;
    if (stage == SubscriptionStage::delete_asked) further.life.delete_asked = moment_;
    if (stage == SubscriptionStage::deleted) further.life.deleted = moment_;
  }
  void submitted(const Submission& submission) override { first_asked_.try_emplace(submission.number, ++moment_); }

  void answered(const Submission& submission, const SubmissionAnswer& answer) override {
    const auto asked = first_asked_.find(submission.number);
    if (asked == first_asked_.end()) return;
    for (const AcceptedEvent& accepted : answer.accepted) {
      const auto made = std::ranges::find(submission.events, accepted.number, &MadeEvent::number);
      if (made != submission.events.end()) check_fan_out(accepted, made->type, asked->second);
    }
  }

  void inspected(const Inspection& inspection) override {
    if (inspection.when != Inspection::When::end) return;
    std::map<std::string_view, Applied> applied;
    for (const ReceiverState& state : inspection.receivers)
      for (const ReceiverState::Record& record : state.records)
        if (record.applied) applied[state.receiver].emplace(record.source, record.event.text);
    for (const ReceiverState& state : inspection.receivers) applied.try_emplace(state.receiver);
    for (const store::DeliveryView& view : inspection.deliveries) check_end(view, applied);
  }

 private:
  using Applied = std::set<std::pair<std::string_view, std::string_view>>;  // source, event
  struct Life {  // as moments of the producers' and the operator's observations; 0: not yet
    std::uint64_t made = 0;
    std::uint64_t delete_asked = 0;
    std::uint64_t deleted = 0;

    bool certainly_there(std::uint64_t at) const { return made != 0 && made < at && delete_asked == 0; }
    bool certainly_gone(std::uint64_t at) const { return deleted != 0 && deleted < at; }
  };
  struct Further {  // a subscription that was asked for beside the first
    std::vector<std::string> event_types;
    Life life;
  };

  // `asked`: when it was first asked for by this submission. A duplicate was taken in under an earlier one, whose
  // fan-out it is told; of that nothing more is known than that it was before.
  void check_fan_out(const AcceptedEvent& accepted, std::string_view type, std::uint64_t asked) {
    for (const EndpointId& id : accepted.endpoints)
      if (!may_take(id, type, accepted.duplicate ? 0 : asked))
        violated(fmt::format("{} ({}) has a delivery to {}, which does not take it", accepted.id.text, type, id.text));
    if (accepted.duplicate) return;
    for (const auto& [id, life] : lives_) {
      const bool has_it = std::ranges::find(accepted.endpoints, id) != accepted.endpoints.end();
      if (!has_it && life.certainly_there(asked) && certainly_takes(id, type, asked))
        violated(fmt::format("{} ({}) has no delivery to {}, which takes it", accepted.id.text, type, id.text));
      if (has_it && life.certainly_gone(asked))
        violated(fmt::format("{} has a delivery to {}, which was deleted before", accepted.id.text, id.text));
    }
  }

  bool certainly_takes(const EndpointId& id, std::string_view type, std::uint64_t asked) const {
    return any_takes(id, type, [asked](const Life& life) { return life.certainly_there(asked); });
  }
  bool may_take(const EndpointId& id, std::string_view type, std::uint64_t asked) const {
    return any_takes(id, type, [asked](const Life& life) { return !life.certainly_gone(asked); });
  }
  // The first subscription lives as long as its endpoint.
  template <class Counts>
  bool any_takes(const EndpointId& id, std::string_view type, Counts counts) const {
    const KnownEndpoint* endpoint = known_.endpoint(id);
    if (!endpoint) return false;
    if (takes(endpoint->event_types, type)) return true;
    const auto further = further_.find(id);
    return further != further_.end() && std::ranges::any_of(further->second, [&](const auto& numbered) {
             return counts(numbered.second.life) && takes(numbered.second.event_types, type);
           });
  }

  void check_end(const store::DeliveryView& view, const std::map<std::string_view, Applied>& applied) {
    const std::string text = format_delivery_id(view.id);
    const delivery::StateName state = delivery::name_of(view.state);
    const auto life = lives_.find(view.id.endpoint);
    const bool may_be_gone = life != lives_.end() && life->second.delete_asked != 0;
    if (state == delivery::StateName::cancelled) {
      if (!may_be_gone) violated(fmt::format("{} is cancelled, and nobody asked for it", text));
      return;
    }
    if (state == delivery::StateName::dead && may_be_gone) return;  // a deletion leaves dead ones as they are
    if (state != delivery::StateName::delivered)
      return violated(fmt::format("{} is {} in the end", text, delivery::name_of(state)));
    const KnownEndpoint* endpoint = known_.endpoint(view.id.endpoint);
    if (!endpoint || endpoint->kind != ReceiverKind::honest) return;
    const auto receiver = applied.find(endpoint->receiver);
    if (receiver != applied.end() && !receiver->second.contains({endpoint->source, view.id.event.text}))
      violated(fmt::format("{} is delivered, and {} has not applied it", text, endpoint->receiver));
  }

  std::uint64_t moment_ = 0;
  std::map<EndpointId, Life> lives_;
  std::map<EndpointId, std::map<std::uint64_t, Further>> further_;
  std::unordered_map<std::uint64_t, std::uint64_t> first_asked_;  // by the submission's number
};

// A dead delivery keeps its id, key, sequence, reason and attempts, in the store and in what the API shows.
class DeadLetterComplete final : public BookChecker {
 public:
  using BookChecker::BookChecker;
  std::string_view name() const override { return "I-DLQ-COMPLETE"; }

  void inspected(const Inspection& inspection) override {
    for (const store::DeliveryView& view : inspection.deliveries) {
      const auto* dead = std::get_if<delivery::Dead>(&view.state);
      if (!dead) continue;
      const std::string text = format_delivery_id(view.id);
      const DeliveryBook* book = books_.delivery(view.key);
      if (book && (view.id != book->id() || view.ordering_key != book->event->ordering_key ||
                   view.sequence != book->event->sequence))
        violated(fmt::format("dead {} has lost its id, ordering key or sequence", text));
      const bool same = book && book->version == view.version;
      const auto* before = same ? std::get_if<delivery::Dead>(&book->state) : nullptr;
      if (dead->reason.empty() || (before && before->reason != dead->reason))
        violated(fmt::format("dead {} has lost its reason", text));
      const auto rows = inspection.attempts.find(view.key);
      if (rows != inspection.attempts.end() && (rows->second.empty() || rows->second.size() != view.record.attempts))
        violated(fmt::format("dead {} has lost attempts", text));
    }
  }

  void api_answered(std::string_view path, int status, std::string_view body) override {
    if (status != 200 || !path.starts_with("/v1/de")) return;  // deliveries, dead-letters
    if (body.find("\"state\":\"dead\"") == std::string_view::npos) return;
    const Result<JsonDocument> document = parse_json(body);
    if (document) look_through(document->root());
  }

 private:
  void look_through(const JsonValue& value) {
    if (value.kind() != JsonKind::object && value.kind() != JsonKind::array) return;
    const auto state = value.kind() == JsonKind::object ? value.find("state") : std::nullopt;
    if (state && state->text() == "dead") return check_shown(value);
    for (std::size_t i = 0; i < value.size(); ++i) look_through(value.at(i));
  }

  void check_shown(const JsonValue& shown) {
    const auto text = [&](std::string_view member) {
      const auto found = shown.find(member);
      return found ? std::optional(std::string(found->text())) : std::nullopt;
    };
    const std::string event = text("event_id").value_or("");
    const DeliveryBook* book = books_.delivery(event, {text("endpoint_id").value_or("")});
    if (!book) return;
    const std::optional<Sequence> sequence = book->event->sequence;
    if (text("id") != book->text() || text("ordering_key") != book->event->ordering_key ||
        text("sequence") != (sequence ? std::optional(std::to_string(*sequence)) : std::nullopt) || !text("reason"))
      violated(fmt::format("dead {} is shown without its id, ordering key, sequence or reason", book->text()));
  }
};

// Once faults have ended, an event with a key of its own leaves soon for every honest endpoint, whatever others do.
class HeadOfLineIsolation final : public BookChecker {
 public:
  using BookChecker::BookChecker;
  std::string_view name() const override { return "I-HOL-ISOLATION"; }

  void commit_done(const store::WriteSet& write_set, Fence, CommitFate, const store::CommitAnswer& answer) override {
    const auto* intake = std::get_if<store::Intake>(&write_set);
    const auto* committed = std::get_if<store::Committed>(&answer);
    const auto* made = committed ? std::get_if<store::IntakeAnswer>(&committed->made) : nullptr;
    if (!intake || !made || !known_.healed) return;
    for (std::size_t i = 0; i < made->items.size() && i < intake->items.size(); ++i) {
      const auto* taken = std::get_if<store::Taken>(&made->items[i]);
      if (!taken || !taken->body || !intake->items[i].submission.type.starts_with("probe.")) continue;
      for (const EndpointId& endpoint : taken->endpoints)
        if (const KnownEndpoint* known = known_.endpoint(endpoint); known && known->kind == ReceiverKind::honest)
          waiting_.emplace(taken->id.text + "." + endpoint.text, known_.now);
    }
  }

  void request_left(const WireRequest& request, const KnownEndpoint* endpoint) override {
    if (waiting_.empty() || !endpoint) return;
    const auto found = waiting_.find(std::string(request.header("webhook-id")) + "." + endpoint->id.text);
    if (found == waiting_.end()) return;
    if (known_.now - found->second > kSoon)
      violated(fmt::format("{} left {} s after it was accepted", found->first,
                           (known_.now - found->second).count() / 1'000'000'000));
    waiting_.erase(found);
  }

  void inspected(const Inspection& inspection) override {
    if (inspection.when != Inspection::When::end || waiting_.empty()) return;
    violated(fmt::format("{} never left", waiting_.begin()->first));
  }

 private:
  static constexpr Nanoseconds kSoon = std::chrono::seconds(3);
  std::map<std::string, MonotonicTime> waiting_;  // since when, by delivery
};

}  // namespace

void make_arrival_checkers(Making& making) {
  making.add<AtLeastOnce>();
  making.add<DeadLetterComplete>();
  making.add<HeadOfLineIsolation>();
}

}  // namespace semel::sim
