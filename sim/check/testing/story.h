// story.h: histories for the tests of checkers, told step by step. As it stands each step is what a server without a
// fault does; a test bends one of them, or a row of the store, and asks who was heard.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/check/checker.h"

namespace semel::sim {

struct ToldEndpoint {
  endpoint::Ordering ordering = endpoint::Ordering::per_key;
  retry::Policy policy = retry::Named::standard;
  ReceiverKind kind = ReceiverKind::honest;
  std::vector<std::string> event_types{"*"};
  std::string secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
};
struct ToldEvent {
  std::optional<std::string> key = "k";
  std::string type = "shipment.moved";
  std::int64_t amount = 0;
};
struct ToldAnswer {
  int status = 200;
  std::string disposition = "applied";
  bool complete = true;
  std::string retry_after;
};
struct ToldOutcome {
  std::string result = "delivered";
  milliseconds delay{5'000};  // until it is due again
  std::string reason = "status_500";
  std::optional<FailureClass> failure = FailureClass::transient;
  bool extra_attempt = false;
};
struct ToldDelivery {
  DeliveryKey key;
  std::uint64_t event;
  EndpointId endpoint;
};

class Story {
 public:
  using EndpointPlan = ToldEndpoint;
  using EventPlan = ToldEvent;
  using Answered = ToldAnswer;
  using Settled = ToldOutcome;
  using Delivery = ToldDelivery;
  template <class T>
  using But = std::function<void(T&)>;

  Story();
  Story(const Story&) = delete;
  Story& operator=(const Story&) = delete;

  // ---- what came of it ----

  std::map<std::string, std::string> heard;  // the first words of each checker that was heard
  std::string who() const {                  // in the order in which they were heard
    std::string names;
    for (const std::string& name : order_) names += (names.empty() ? "" : " ") + name;
    return names;
  }

  template <class F>
  void tell(F f) {
    for (const auto& checker : checkers_) f(*checker);
  }
  Known known;

  // ---- the store, to be bent ----

  Inspection store;
  ReceiverState& receiver() { return store.receivers.front(); }
  store::DeliveryView& row(const Delivery& delivery) { return store.deliveries.at(index(delivery)); }
  std::vector<store::AttemptView>& rows(const Delivery& delivery) { return store.attempts[delivery.key]; }

  // ---- steps ----

  void pass(Nanoseconds time) {
    known.now = known.now + time;
    known.wall = known.wall + std::chrono::duration_cast<milliseconds>(time);
  }

  EndpointId add_endpoint(EndpointPlan plan);
  // Submitted, stored and answered; one delivery for each endpoint that takes it.
  std::vector<Delivery> accept(EventPlan plan, const But<store::Taken>& but_stored = {},
                               const But<SubmissionAnswer>& but_answered = {});
  Delivery accept_one(EventPlan plan = {}) { return accept(std::move(plan)).front(); }

  void begin(const Delivery& delivery, const But<store::StartAttempt>& but = {}, CommitFate fate = CommitFate::told);
  void leave(const Delivery& delivery, const But<WireRequest>& but = {});
  void answer(const Delivery& delivery, Answered answered = {});
  void settle(const Delivery& delivery, Settled settled = {}, const But<store::SettleAttempt>& but = {});
  void apply(const Delivery& delivery, const But<Effect>& but = {});
  void replay(const Delivery& delivery);
  // An attempt with this answer, up to its settlement.
  void attempt(const Delivery& delivery, Answered answered, Settled settled) {
    begin(delivery), leave(delivery), answer(delivery, std::move(answered)), settle(delivery, std::move(settled));
  }
  void fail(const Delivery& delivery, milliseconds delay = milliseconds(5'000)) {
    attempt(delivery, {.status = 500, .disposition = ""}, {.result = "retry", .delay = delay});
  }
  void deliver(const Delivery& delivery) {
    begin(delivery), leave(delivery), apply(delivery), answer(delivery), settle(delivery);
  }

  void crash() {
    tell([](Checker& checker) { checker.crashed(kServerProcess); });
    ++known.fence.value;
  }
  void restart() {
    crash();
    tell([this](Checker& checker) { checker.started(kServerProcess, known.fence); });
    inspect(Inspection::When::restarted);
  }
  void heal() {
    known.healed = true;
    tell([](Checker& checker) { checker.healed(); });
  }
  void inspect(Inspection::When when) {
    Inspection inspection = store;
    inspection.when = when;
    inspection.wall = known.wall;
    if (when == Inspection::When::restarted) inspection.attempts.clear(), inspection.receivers.clear();
    tell([&](Checker& checker) { checker.inspected(inspection); });
  }
  void end() { inspect(Inspection::When::end); }

  void commit(const store::WriteSet& write_set, CommitFate fate = CommitFate::told,
              const store::CommitAnswer& answer = store::Committed{}) {
    tell([&](Checker& checker) { checker.commit_asked(write_set, known.fence); });
    tell([&](Checker& checker) { checker.commit_done(write_set, known.fence, fate, answer); });
  }

  Submission submission(std::uint64_t number, MadeEvent event) const {
    return {.number = number,
            .producer = "producer",
            .idempotency_key = "producer-" + std::to_string(number),
            .events = {std::move(event)}};
  }
  MadeEvent made(std::uint64_t number) const { return made_.at(number); }

 private:
  static std::size_t index(const Delivery& delivery) { return static_cast<std::size_t>(delivery.key.value) - 1; }
  const KnownEndpoint& endpoint(const Delivery& delivery) const { return *known.endpoint(delivery.endpoint); }
  EventId id_of(std::uint64_t event) const { return store.events.at(event - 1).id; }
  WireRequest request(const Delivery& delivery);

  const egress::SocketAddress address_{{.family = egress::IpAddress::Family::v4, .bytes = {93, 184, 1, 1}}, 443};
  std::vector<std::unique_ptr<Checker>> checkers_;
  std::vector<std::string> order_;
  std::map<std::uint64_t, MadeEvent> made_;
  std::map<std::string, std::uint64_t> next_index_;                  // by key
  std::map<std::pair<std::string, std::string>, Sequence> last_on_;  // by endpoint and key
  std::map<DeliveryKey, WireRequest> last_request_;
  std::uint64_t connections_ = 0;
};

}  // namespace semel::sim
