// identity.cc: I-STABLE-ID: one made event is one accepted event, and its bytes never change.
#include <fmt/core.h>

#include <unordered_map>

#include "sim/check/body_text.h"
#include "sim/check/groups.h"

namespace semel::sim {
namespace {

// Same id, ordering key, sequence and envelope over all attempts, rounds and endpoints; the same body over all attempts
// of a round; what the producer gave is in it; a submission that comes again is answered with the same id.
class StableId final : public BookChecker {
 public:
  using BookChecker::BookChecker;
  std::string_view name() const override { return "I-STABLE-ID"; }

  void answered(const Submission&, const SubmissionAnswer& answer) override {
    for (const AcceptedEvent& accepted : answer.accepted) name_event(accepted.number, accepted.id);
  }

  void commit_done(const store::WriteSet& write_set, Fence, CommitFate, const store::CommitAnswer& answer) override {
    const auto* intake = std::get_if<store::Intake>(&write_set);
    const auto* committed = std::get_if<store::Committed>(&answer);
    const auto* made = committed ? std::get_if<store::IntakeAnswer>(&committed->made) : nullptr;
    if (!intake || !made) return;
    for (std::size_t i = 0; i < made->items.size() && i < intake->items.size(); ++i)
      if (const auto* taken = std::get_if<store::Taken>(&made->items[i]); taken && taken->body)
        name_event(number_in_data(intake->items[i].submission.data), taken->id);
  }

  void request_left(const WireRequest& request, const KnownEndpoint* endpoint) override {
    const std::string_view id = request.header("webhook-id");
    const EventBook* event = books_.event(id);
    if (!event) {
      if (books_.is_current()) violated(fmt::format("a request carries the id {}, which nobody was given", id));
      return;
    }
    const std::optional<SplitBody> body = split_body(request.body);
    if (!body) return violated(fmt::format("a request of {} has no member `delivery` before `data`", id));
    check_envelope(request, *body, *event);
    if (endpoint) check_delivery(request, *body, *event, *endpoint);
  }

  void inspected(const Inspection& inspection) override {
    if (inspection.when == Inspection::When::restarted) return;
    for (const store::EventView& view : inspection.events) {
      const auto sent = envelopes_.find(view.key);
      if (sent != envelopes_.end() && sent->second.before + sent->second.behind != view.envelope)
        violated(fmt::format("the stored envelope of {} is not the one that was sent", view.id.text));
    }
  }

 private:
  // As it first left.
  struct Envelope {
    std::string before;
    std::string behind;
    std::string key;
    std::string sequence;
  };
  struct Member {
    std::uint32_t round = 0;
    std::string text;
  };

  void name_event(std::uint64_t number, const EventId& id) {
    if (number == 0) return;
    const auto [named, is_new] = ids_.try_emplace(number, id);
    if (!is_new && named->second != id)
      violated(fmt::format("event {} is {} and {}", number, named->second.text, id.text));
  }

  void check_envelope(const WireRequest& request, const SplitBody& body, const EventBook& event) {
    const std::string_view key = request.header("semel-ordering-key");
    const std::string_view sequence = request.header("semel-sequence");
    const auto [sent, is_first] = envelopes_.try_emplace(event.key);
    Envelope& envelope = sent->second;
    if (!is_first) {
      if (envelope.before != body.before || envelope.behind != body.behind)
        violated(fmt::format("the envelope of {} is not what it was at its first attempt", event.id.text));
      if (envelope.key != key || envelope.sequence != sequence)
        violated(fmt::format("{} says key '{}' and sequence '{}', at its first attempt it said '{}' and '{}'",
                             event.id.text, key, sequence, envelope.key, envelope.sequence));
      return;
    }
    envelope = {std::string(body.before), std::string(body.behind), std::string(key), std::string(sequence)};
    check_first(envelope, event);
  }

  // The first attempt says what was accepted.
  void check_first(const Envelope& envelope, const EventBook& event) {
    const std::string key = event.ordering_key ? escaped(*event.ordering_key) : std::string();
    const std::string sequence = event.sequence ? std::to_string(*event.sequence) : std::string();
    if (envelope.key != key || envelope.sequence != sequence)
      violated(fmt::format("{} says key '{}' and sequence '{}', accepted were '{}' and '{}'", event.id.text,
                           envelope.key, envelope.sequence, key, sequence));
    if (!envelope.before.starts_with("{\"id\":\"" + event.id.text + "\""))
      violated(fmt::format("the body of {} names another id", event.id.text));
    const MadeEvent* made = books_.made(event.number);
    if (made && envelope.behind != ",\"data\":" + made->data + "}")
      violated(fmt::format("the data of {} is not what event {} was made of", event.id.text, event.number));
  }

  void check_delivery(const WireRequest& request, const SplitBody& body, const EventBook& event,
                      const KnownEndpoint& endpoint) {
    if (body.endpoint != endpoint.id.text)
      violated(fmt::format("a request to {} names the endpoint {}", endpoint.id.text, body.endpoint));
    const DeliveryBook* delivery = books_.delivery(event.id.text, endpoint.id);
    if (!delivery) return;
    Member& member = members_[delivery->key];
    if (member.round == body.round && member.text != body.delivery)
      violated(fmt::format("{} said {} and now {} in the same round", delivery->text(), member.text, body.delivery));
    member.round = body.round;
    member.text = body.delivery;
    const AttemptBook* attempt =
        delivery->attempt(static_cast<std::uint32_t>(whole_number(request.header("semel-attempt")).value_or(0)));
    if (attempt && attempt->round != 0 && attempt->round != body.round)
      violated(fmt::format("{} is in round {} and says {}", delivery->text(), attempt->round, body.round));
  }

  std::unordered_map<std::uint64_t, EventId> ids_;
  std::unordered_map<EventKey, Envelope> envelopes_;
  std::unordered_map<DeliveryKey, Member> members_;  // as last sent
};

}  // namespace

void make_identity_checkers(Making& making) { making.add<StableId>(); }

}  // namespace semel::sim
