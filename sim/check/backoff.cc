// backoff.cc: when a failed delivery is tried again, and an endpoint that asked to be left alone.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "sim/check/groups.h"
#include "sim/check/pace.h"
#include "sim/check/rounds.h"

namespace semel::sim {
namespace {

// No attempt before the time that was named, as the clock measures that never steps; and that time is the policy's,
// lengthened only by what the endpoint asked for. An endpoint that waits is left alone for as long as it waits.
//
// What was measured while the process stood still is left out, and so is what a step of its wall clock can have moved
// between the judgement and the moment at which the engine turned the stored wall time into one of its own clock.
class BackoffMono final : public BookChecker {
 public:
  using BookChecker::BookChecker;
  std::string_view name() const override { return "I-BACKOFF-MONO"; }

  void connect_asked(std::string_view, const egress::SocketAddress&) override { alive(); }
  void request_left(const WireRequest&, const KnownEndpoint*) override { alive(); }
  void crashed(std::string_view process) override {
    if (process != kServerProcess) return;
    judged_.clear();
    asked_.clear();
    named_.clear();
    waits_.clear();
  }

  void commit_asked(const store::WriteSet& write_set, Fence) override {
    alive();
    if (const auto* settle = std::get_if<store::SettleAttempt>(&write_set)) {
      judged_.try_emplace({settle->delivery, settle->attempt}, known_.now);
      if (settle->endpoint_wait && !is_lapsed(*settle)) begin_wait(*settle);
    }
    if (const auto* change = std::get_if<store::ChangeDelivery>(&write_set)) {
      named_.erase(change->delivery);
      ready_.insert_or_assign(change->delivery, known_.now);
    }
    if (const auto* start = std::get_if<store::StartAttempt>(&write_set))
      asked_.insert_or_assign({start->delivery, start->state.attempt}, Asked{known_.now, active_before_});
  }

  void commit_done(const store::WriteSet& write_set, Fence, CommitFate, const store::CommitAnswer& answer) override {
    if (const store::SettleAttempt* settle = committed_settle(write_set, answer)) check_named(*settle);
    const auto* start = std::get_if<store::StartAttempt>(&write_set);
    if (!start || !std::holds_alternative<store::Committed>(answer)) return;
    const auto found = asked_.find({start->delivery, start->state.attempt});
    const Asked asked = found == asked_.end() ? Asked{known_.now, active_before_} : found->second;
    if (found != asked_.end()) asked_.erase(found);
    check_begun(*start, asked);
    check_wait(*start, asked);
  }

 private:
  // The moment an attempt may begin at, and since when the engine knows it.
  struct Named {
    MonotonicTime judged_at;
    MonotonicTime committed_at;
    MonotonicTime due;
    bool parked;
  };
  // When an attempt was to begin, which may be stored a while later.
  struct Asked {
    MonotonicTime at;
    MonotonicTime active_before;  // the last moment before it at which the server did something
  };
  struct Wait {
    MonotonicTime judged_at;
    MonotonicTime behind;  // the end of the wait it lengthens
    MonotonicTime until;
  };
  static constexpr Nanoseconds kSlack = milliseconds(2);
  static constexpr Nanoseconds kHeardWithin = std::chrono::minutes(5);  // of a commit, stalls and late answers included
  static constexpr Nanoseconds kClaimedWithin = std::chrono::seconds(5);

  void alive() {
    if (active_at_ == known_.now) return;
    active_before_ = active_at_;
    active_at_ = known_.now;
  }

  bool stepped_within(MonotonicTime from, MonotonicTime to) const {
    return std::ranges::any_of(known_.wall_stepped_at, [&](MonotonicTime at) { return from <= at && at <= to; });
  }

  // ---- a delivery's own time ----

  void check_named(const store::SettleAttempt& settle) {
    const auto found = judged_.find({settle.delivery, settle.attempt});
    const MonotonicTime judged_at = found == judged_.end() ? known_.now : found->second;
    ready_.insert_or_assign(settle.delivery, known_.now);
    const DeliveryBook* book = books_.stands_at(settle);
    const KnownEndpoint* endpoint = book ? books_.endpoint(*book) : nullptr;
    if (!endpoint || is_lapsed(settle) || !book->tally.exact) return;
    const auto* due = std::get_if<delivery::Due>(&settle.state);
    const auto* unknown = std::get_if<delivery::Unknown>(&settle.state);
    const auto* parked = std::get_if<delivery::Parked>(&settle.state);
    if ((!due && !unknown && !parked) || (unknown && unknown->extra_attempt)) return;
    const milliseconds delay = (due ? due->at : unknown ? unknown->at : parked->ask_at) - settle.outcome.at;
    const DelayRange range = allowed(*book, *endpoint, settle);
    if (delay < range.low || delay > range.high)
      violated(fmt::format("{} is due again after {} ms, {} to {} ms are allowed", book->text(), delay.count(),
                           range.low.count(), range.high.count()));
    const MonotonicTime at = judged_at + delay;
    named_.insert_or_assign(book->key, Named{judged_at, known_.now, at, parked != nullptr});
    ready_.insert_or_assign(book->key, std::max(known_.now, at));
  }

  static DelayRange allowed(const DeliveryBook& book, const KnownEndpoint& endpoint,
                            const store::SettleAttempt& settle) {
    if (std::holds_alternative<delivery::Parked>(settle.state)) {
      const milliseconds delay = parked_delay(book.tally.parked_asks);
      return {delay, delay};
    }
    const retry::Policy& policy = endpoint.config.rules.policy;
    DelayRange range = delay_range(policy, counted_after(book, settle), time_left(book, policy, settle.outcome.at));
    const AttemptBook* attempt = book.attempt(settle.attempt);
    const bool obeys = settle.outcome.result == "retry" && attempt && attempt->answer &&
                       !attempt->answer->retry_after.empty() && may_ask_to_wait(attempt->answer->status);
    if (!obeys) return range;
    const DelayRange asked = asked_wait(attempt->answer->retry_after);
    // A hostile one may have said it twice, or so that it says nothing.
    if (endpoint.kind == ReceiverKind::honest) range.low = std::max(range.low, asked.low);
    range.high = std::max(range.high, asked.high);
    return range;
  }
  static bool may_ask_to_wait(int status) { return status == 429 || status == 503 || status == 408 || status == 425; }

  void check_begun(const store::StartAttempt& start, const Asked& asked) {
    const auto found = named_.find(start.delivery);
    if (found == named_.end()) return;
    const Named named = found->second;
    named_.erase(found);
    const DeliveryBook* book = books_.stands_at(start);
    if (!book || asked.at + kSlack >= named.due) return;
    if (stepped_within(named.judged_at, named.committed_at + kHeardWithin)) return;
    if (named.parked && asked_at_once(*book)) return;
    violated(fmt::format("attempt {} of {} begins {} ms early", start.state.attempt, book->text(),
                         (named.due - asked.at).count() / 1'000'000));
  }

  // The predecessor of a parked delivery closed while or since it was sent.
  bool asked_at_once(const DeliveryBook& book) const {
    if (!book.line) return false;
    const auto self = book.line->deliveries.find(*book.event->sequence);
    if (self == book.line->deliveries.end() || self == book.line->deliveries.begin()) return false;
    const AttemptBook* last = book.attempt(book.record.attempts);
    return !books_.is_at_rest(*std::prev(self)->second) || !last || book.line->closed_at >= last->heard_at;
  }

  // ---- an endpoint's time ----

  void begin_wait(const store::SettleAttempt& settle) {
    const MonotonicTime judged_at = judged_.at({settle.delivery, settle.attempt});
    const MonotonicTime until = judged_at + Nanoseconds(settle.endpoint_wait->until - settle.outcome.at);
    Wait& wait = waits_[settle.endpoint];
    if (until > wait.until) wait = {judged_at, std::max(judged_at, wait.until), until};
  }

  void check_wait(const store::StartAttempt& start, const Asked& asked) {
    const auto found = waits_.find(start.endpoint);
    if (found == waits_.end()) return;
    const Wait& wait = found->second;
    const bool begins_within = wait.judged_at + kClaimedWithin < asked.at && asked.at + kSlack < wait.until;
    const DeliveryBook* book = begins_within ? books_.stands_at(start) : nullptr;
    // It may have been taken before the wait began, and then the process stood still.
    if (!book || asked.active_before < wait.judged_at + kClaimedWithin) return;
    // The wait is put on the clock that never steps when something first has to wait for it.
    if (stepped_within(wait.judged_at, std::max(wait.behind, ready_since(*book)) + kHeardWithin)) return;
    violated(fmt::format("attempt {} of {} begins although its endpoint waits for another {} ms", start.state.attempt,
                         book->text(), (wait.until - asked.at).count() / 1'000'000));
  }

  MonotonicTime ready_since(const DeliveryBook& book) const {
    const auto ready = ready_.find(book.key);
    const MonotonicTime since = ready == ready_.end() ? book.event->heard_at : ready->second;
    return book.line ? std::max(since, book.line->closed_at) : since;
  }

  std::map<std::pair<DeliveryKey, std::uint32_t>, MonotonicTime> judged_;  // when first asked to be stored
  std::map<std::pair<DeliveryKey, std::uint32_t>, Asked> asked_;           // attempts likewise
  std::unordered_map<DeliveryKey, Named> named_;
  std::unordered_map<DeliveryKey, MonotonicTime> ready_;  // when it could last be sent, but for its line and endpoint
  std::unordered_map<EndpointKey, Wait> waits_;
  MonotonicTime active_at_{-1};
  MonotonicTime active_before_{-1};
};

}  // namespace

void make_backoff_checkers(Making& making) { making.add<BackoffMono>(); }

}  // namespace semel::sim
