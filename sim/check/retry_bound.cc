// retry_bound.cc: how often a failed delivery is tried again.
#include <fmt/core.h>

#include <algorithm>

#include "sim/check/groups.h"
#include "sim/check/pace.h"
#include "sim/check/rounds.h"

namespace semel::sim {
namespace {

// A round takes no more attempts that count than its policy has, and no longer; only what a dying idle connection took
// with it does not count.
class RetryBound final : public BookChecker {
 public:
  using BookChecker::BookChecker;
  std::string_view name() const override { return "I-RETRY-BOUND"; }

  void commit_done(const store::WriteSet& write_set, Fence, CommitFate, const store::CommitAnswer& answer) override {
    if (const store::SettleAttempt* settle = committed_settle(write_set, answer)) check_settled(*settle);
    const auto* start = std::get_if<store::StartAttempt>(&write_set);
    if (start && std::holds_alternative<store::Committed>(answer)) check_begun(*start);
  }

  void inspected(const Inspection& inspection) override {
    for (const store::DeliveryView& view : inspection.deliveries) {
      const DeliveryBook* book = books_.delivery(view.key);
      if (book && view.record.round == book->tally.round && view.record.progress.counted < book->tally.counted)
        violated(fmt::format("{} has used up {} attempts of its round and is said to have used up {}", book->text(),
                             book->tally.counted, view.record.progress.counted));
    }
  }

 private:
  void check_begun(const store::StartAttempt& start) {
    const DeliveryBook* book = start.state.counts ? nullptr : books_.stands_at(start);
    if (!book) return;
    const auto* unknown = std::get_if<delivery::Unknown>(&book->state);
    if (!unknown || !unknown->extra_attempt)
      violated(fmt::format("attempt {} of {} does not count, without a reason", start.state.attempt, book->text()));
  }

  void check_settled(const store::SettleAttempt& settle) {
    const DeliveryBook* book = books_.stands_at(settle);
    const KnownEndpoint* endpoint = book ? books_.endpoint(*book) : nullptr;
    if (!endpoint || !book->tally.exact) return;
    const retry::Policy& policy = endpoint->config.rules.policy;
    const std::uint32_t counted = counted_after(*book, settle);
    if (settle.record.progress.counted != counted)
      violated(fmt::format("{} has used up {} attempts of its round, stored is {}", book->text(), counted,
                           settle.record.progress.counted));
    const auto most = most_attempts(policy);
    // When the last attempt dies with its idle connection and the further one is answered `parked`, it is asked again.
    if (most && counted > *most + extras_of_round(*book))
      violated(fmt::format("{} has used up {} attempts, its policy has {}", book->text(), counted, *most));
    const auto* unknown = std::get_if<delivery::Unknown>(&settle.state);
    if (unknown && unknown->extra_attempt) return check_extra(*book, settle);
    const bool again = settle.outcome.result == "retry" || settle.outcome.result == "unknown";
    if (!again || is_lapsed(settle)) return;
    const bool by_time = longest_round(policy).has_value();
    const auto left = time_left(*book, policy, settle.outcome.at);
    if ((most && counted >= *most) || (by_time && left && *left <= milliseconds(0)))
      violated(fmt::format("{} is tried again although its round is over", book->text()));
  }

  static std::uint32_t extras_of_round(const DeliveryBook& book) {
    return static_cast<std::uint32_t>(std::ranges::count_if(book.attempts, [&](const AttemptBook& attempt) {
      return attempt.round == book.tally.round && !attempt.counts;
    }));
  }

  void check_extra(const DeliveryBook& book, const store::SettleAttempt& settle) {
    const AttemptBook* attempt = book.attempt(settle.attempt);
    if (is_lapsed(settle) || !attempt || attempt->requests == 0) return;
    if (settle.outcome.reason != "connection_lost" || attempt->wire_number < 2 || attempt->answer)
      violated(fmt::format("{} gets an attempt that does not count, but its connection was no idle one", book.text()));
  }
};

}  // namespace

void make_retry_checkers(Making& making) { making.add<RetryBound>(); }

}  // namespace semel::sim
