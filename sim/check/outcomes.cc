// outcomes.cc: delivered only after a complete 2xx, and doubt stays doubt.
#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "sim/check/groups.h"
#include "sim/check/rounds.h"

namespace semel::sim {
namespace {

constexpr std::size_t kBodyCap = 64 * 1024;  // behind which a receiver's words are not read any more

bool is_success(const AnswerBook& answer) { return answer.status >= 200 && answer.status <= 299; }

// It was cut by us, not by the other side. Chunks can be over the cap by their extensions alone.
bool is_over_cap(const AnswerBook& answer) {
  return answer.body_size > kBodyCap || answer.length > kBodyCap || answer.chunked;
}

bool is_whole(const AnswerBook& answer, bool honest) { return answer.complete || (!honest && is_over_cap(answer)); }

// A delivery becomes delivered by a complete 2xx to exactly that attempt, which says nothing else.
class MarkAfter2xx final : public BookChecker {
 public:
  using BookChecker::BookChecker;
  std::string_view name() const override { return "I-MARK-AFTER-2XX"; }

  void commit_done(const store::WriteSet& write_set, Fence, CommitFate, const store::CommitAnswer& answer) override {
    const store::SettleAttempt* settle = committed_settle(write_set, answer);
    const bool delivered = settle && std::holds_alternative<delivery::Delivered>(settle->state);
    if (const DeliveryBook* book = delivered ? books_.delivery(settle->delivery) : nullptr)
      check(*book, settle->attempt);
  }

  void inspected(const Inspection& inspection) override {
    for (const auto& [key, rows] : inspection.attempts) {
      const DeliveryBook* book = books_.delivery(key);
      for (const store::AttemptView& row : rows)
        for (const store::OutcomeView& outcome : row.outcomes)
          if (book && outcome.result == "delivered") check(*book, row.number);
    }
  }

 private:
  void check(const DeliveryBook& book, std::uint32_t number) {
    const KnownEndpoint* endpoint = known_.endpoint(book.endpoint);
    const AttemptBook* attempt = book.attempt(number);
    if (!endpoint || !attempt) return;
    const bool honest = endpoint->kind == ReceiverKind::honest;
    const auto wrong = [&](std::string_view why) {
      violated(fmt::format("attempt {} of {} counts as delivered, {}", number, book.text(), why));
    };
    if (attempt->requests == 0 && !honest) return;  // answered before it had left whole
    if (!attempt->answer) return wrong("no answer came");
    const AnswerBook& answer = *attempt->answer;
    if (!is_success(answer)) return wrong(fmt::format("the answer was {}", answer.status));
    if (!is_whole(answer, honest)) return wrong("the answer broke off");
    if (honest && answer.status == 202 && answer.disposition == "parked") return wrong("it was parked");
  }
};

// A request that left and had no complete answer is unknown, and that is never forgotten: not in its row, and not when
// the delivery dies.
class UnknownNotFailed final : public BookChecker {
 public:
  using BookChecker::BookChecker;
  std::string_view name() const override { return "I-UNKNOWN-NOT-FAILED"; }

  void commit_done(const store::WriteSet& write_set, Fence, CommitFate, const store::CommitAnswer& answer) override {
    const store::SettleAttempt* settle = committed_settle(write_set, answer);
    const DeliveryBook* book = settle ? books_.delivery(settle->delivery) : nullptr;
    if (!book) return;
    check_outcome(*book, *settle);
    remember_doubt(*book, *settle, books_.stands_at(*settle) != nullptr);
  }

  void inspected(const Inspection& inspection) override {
    for (const store::DeliveryView& view : inspection.deliveries) {
      if (std::holds_alternative<delivery::Delivered>(view.state)) doubts_.erase(view.key);
      const auto rows = inspection.attempts.find(view.key);
      if (rows != inspection.attempts.end()) check_rows(view, rows->second);
    }
  }

 private:
  // What the wire leaves open can only be unknown. Hostile receivers also send what only one of two readers takes for
  // an answer; there the wire decides nothing.
  static bool is_in_doubt(const AttemptBook& attempt, const KnownEndpoint& endpoint, const store::OutcomeRow& said) {
    const bool honest = endpoint.kind == ReceiverKind::honest;
    if (attempt.requests == 0 || (!honest && said.reason == "malformed_answer")) return false;
    if (!attempt.answer) return honest || !said.http_status;
    const AnswerBook& answer = *attempt.answer;
    if (is_success(answer)) return !is_whole(answer, honest);
    return honest && (answer.status == 502 || answer.status == 504);
  }

  static bool says_unknown(const store::SettleAttempt& settle) {
    if (settle.outcome.result == "unknown") return true;
    return settle.outcome.result == "dead" && settle.outcome.failure == FailureClass::unknown_outcome &&
           settle.record.unsettled;
  }

  void check_outcome(const DeliveryBook& book, const store::SettleAttempt& settle) {
    const KnownEndpoint* endpoint = known_.endpoint(book.endpoint);
    const AttemptBook* attempt = book.attempt(settle.attempt);
    if (!endpoint || !attempt || !is_in_doubt(*attempt, *endpoint, settle.outcome) || says_unknown(settle)) return;
    violated(fmt::format("attempt {} of {} left and had no complete answer; it is settled {} ({})", settle.attempt,
                         book.text(), settle.outcome.result, settle.outcome.reason));
  }

  // `seen_all`: no settlement before this one is missing.
  void remember_doubt(const DeliveryBook& book, const store::SettleAttempt& settle, bool seen_all) {
    if (!seen_all) doubts_.erase(book.key);
    const bool in_doubt = settle.outcome.result == "unknown" || settle.outcome.result == "parked" ||
                          settle.outcome.failure == FailureClass::unknown_outcome;
    if (in_doubt) doubts_[book.key] = settle.attempt;
    if (settle.outcome.result == "delivered") doubts_.erase(book.key);
    const auto doubt = doubts_.find(book.key);
    if (settle.outcome.result == "dead" && doubt != doubts_.end() && !settle.record.unsettled)
      violated(fmt::format("{} dies and does not say that attempt {} may have happened", book.text(), doubt->second));
  }

  void check_rows(const store::DeliveryView& view, const std::vector<store::AttemptView>& rows) {
    const DeliveryBook* book = books_.delivery(view.key);
    std::optional<std::uint32_t> doubt;
    for (const store::AttemptView& row : rows) {
      const auto settled = std::ranges::find(row.outcomes, false, &store::OutcomeView::late);
      const bool is_settled = settled != row.outcomes.end();
      const AttemptBook* attempt = book ? book->attempt(row.number) : nullptr;
      if (attempt && attempt->outcome && attempt->outcome->result == "unknown" &&
          (!is_settled || settled->result != "unknown" || settled->reason != attempt->outcome->reason))
        violated(fmt::format("attempt {} of {} was unknown and its row says otherwise", row.number,
                             format_delivery_id(view.id)));
      if (!is_settled) continue;
      if (settled->result == "delivered") doubt.reset();
      if (settled->result == "unknown" || settled->result == "parked" ||
          settled->failure == FailureClass::unknown_outcome)
        doubt = row.number;
    }
    const delivery::StateName state = delivery::name_of(view.state);
    const bool failed = state == delivery::StateName::dead || state == delivery::StateName::cancelled;
    if (failed && doubt && !view.record.unsettled)
      violated(fmt::format("{} is {} and does not say that attempt {} may have happened", format_delivery_id(view.id),
                           delivery::name_of(state), *doubt));
  }

  std::unordered_map<DeliveryKey, std::uint32_t> doubts_;  // the attempt that nobody has settled since
};

}  // namespace

void make_outcome_checkers(Making& making) {
  making.add<MarkAfter2xx>();
  making.add<UnknownNotFailed>();
}

}  // namespace semel::sim
