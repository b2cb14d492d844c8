// attempts.cc: nothing leaves before its attempt is stored, nothing after the delivery is over, nothing by who is late.
#include <fmt/core.h>

#include <algorithm>

#include "sim/check/body_text.h"
#include "sim/check/groups.h"

namespace semel::sim {
namespace {

bool is_committed(const store::CommitAnswer& answer) { return std::holds_alternative<store::Committed>(answer); }

// Each request has a started attempt of its own, whose start the engine knows to be stored; numbers rise by one; the
// rows say what the commits said, one for each attempt; and one whose process lived on has an outcome in the end.
class AttemptLedger final : public BookChecker {
 public:
  using BookChecker::BookChecker;
  std::string_view name() const override { return "I-ATTEMPT-LEDGER"; }

  void commit_done(const store::WriteSet& write_set, Fence, CommitFate, const store::CommitAnswer& answer) override {
    const auto* start = std::get_if<store::StartAttempt>(&write_set);
    if (!start || !is_committed(answer)) return;
    const DeliveryBook* book = books_.stands_at(*start);
    if (!book) return;
    if (start->state.attempt != book->record.attempts + 1)
      violated(fmt::format("{} had {} attempts and begins number {}", book->text(), book->record.attempts,
                           start->state.attempt));
  }

  void request_left(const WireRequest& request, const KnownEndpoint* endpoint) override {
    if (!endpoint) return;
    const std::string_view event = request.header("webhook-id");
    const std::string_view number = request.header("semel-attempt");
    const DeliveryBook* book = books_.delivery(event, endpoint->id);
    if (!book) {
      if (books_.is_current())
        violated(fmt::format("a request of {} to {}, which is no delivery", event, endpoint->url));
      return;
    }
    const AttemptBook* attempt = book->attempt(static_cast<std::uint32_t>(whole_number(number).value_or(0)));
    if (!attempt || !attempt->told)
      violated(fmt::format("attempt {} of {} left before its row was committed", number, book->text()));
    else if (attempt->requests > 0)
      violated(fmt::format("attempt {} of {} left twice", number, book->text()));
  }

  void crashed(std::string_view process) override {
    if (process == kServerProcess) last_crash_ = known_.now;
  }

  void inspected(const Inspection& inspection) override {
    if (inspection.when == Inspection::When::restarted) return;
    for (const store::DeliveryView& view : inspection.deliveries) {
      const auto rows = inspection.attempts.find(view.key);
      if (rows != inspection.attempts.end()) check_rows(view, rows->second, inspection.when);
    }
  }

 private:
  void check_rows(const store::DeliveryView& view, const std::vector<store::AttemptView>& rows, Inspection::When when) {
    const std::string text = format_delivery_id(view.id);
    if (rows.size() != view.record.attempts)
      return violated(fmt::format("{} began {} attempts and has {} rows", text, view.record.attempts, rows.size()));
    const bool cancelled = std::holds_alternative<delivery::Cancelled>(view.state);
    const bool in_flight = when != Inspection::When::end && std::holds_alternative<delivery::InFlight>(view.state);
    const DeliveryBook* book = books_.delivery(view.key);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const store::AttemptView& row = rows[i];
      if (row.number != i + 1) violated(fmt::format("{} has no row of attempt {}", text, i + 1));
      const AttemptBook* begun = book ? book->attempt(row.number) : nullptr;
      // A deletion that comes while an attempt is under way leaves it without one if the process dies too.
      const bool process_lived_on = begun && begun->told && begun->heard_at > last_crash_;
      const bool may_be_open = row.number == rows.size() &&
                               (in_flight || (cancelled && (!process_lived_on || when != Inspection::When::end)));
      if (row.outcomes.empty() && !may_be_open)
        violated(fmt::format("attempt {} of {} has no outcome", row.number, text));
      if (begun) compare(text, row, *begun);
    }
  }

  void compare(const std::string& text, const store::AttemptView& row, const AttemptBook& begun) {
    const bool heard = begun.round != 0;
    if (heard && (row.round != begun.round || row.counts != begun.counts || row.started_at != begun.started_at))
      violated(fmt::format("the row of attempt {} of {} is not what was committed", row.number, text));
    if (!begun.outcome || begun.outcome->result == "unknown") return;  // that one: I-UNKNOWN-NOT-FAILED
    const auto settled = std::ranges::find(row.outcomes, false, &store::OutcomeView::late);
    if (settled == row.outcomes.end() || settled->result != begun.outcome->result)
      violated(fmt::format("attempt {} of {} was settled {} and its row says otherwise", row.number, text,
                           begun.outcome->result));
  }

  MonotonicTime last_crash_{-1};
};

// No attempt begins on a delivery that is over, until a replay opens it again.
class NoSendAfterConfirm final : public BookChecker {
 public:
  using BookChecker::BookChecker;
  std::string_view name() const override { return "I-NO-SEND-AFTER-CONFIRM"; }

  void commit_done(const store::WriteSet& write_set, Fence, CommitFate, const store::CommitAnswer& answer) override {
    const auto* start = std::get_if<store::StartAttempt>(&write_set);
    if (!start || !is_committed(answer)) return;
    const DeliveryBook* book = books_.stands_at(*start);
    if (!book || delivery::is_open(book->state_name())) return;
    violated(fmt::format("attempt {} of {} begins, which is {}", start->state.attempt, book->text(),
                         delivery::name_of(book->state_name())));
  }
};

// Fences rise with each start, and what carries an older one is never committed; of all writes that name the same
// version of a delivery one is.
class Fencing final : public BookChecker {
 public:
  using BookChecker::BookChecker;
  std::string_view name() const override { return "I-FENCE"; }

  void started(std::string_view process, Fence fence) override {
    if (process != kServerProcess) return;
    if (fence <= started_)
      violated(fmt::format("the server starts with fence {}, an earlier start had {}", fence.value, started_.value));
    started_ = fence;
    highest_ = std::max(highest_, fence);
  }

  void commit_done(const store::WriteSet& write_set, Fence by, CommitFate, const store::CommitAnswer& answer) override {
    highest_ = std::max({highest_, by, known_.fence});
    if (!is_committed(answer)) return;
    if (const auto* start = std::get_if<store::StartAttempt>(&write_set)) check(*start);
    if (const auto* settle = std::get_if<store::SettleAttempt>(&write_set)) check(*settle);
    if (const auto* change = std::get_if<store::ChangeDelivery>(&write_set)) check(*change);
  }

 private:
  template <class Fenced>
  void check(const Fenced& write_set) {
    if (write_set.fence < highest_)
      violated(
          fmt::format("a write with fence {} was committed, the owner has {}", write_set.fence.value, highest_.value));
    const DeliveryBook* book = books_.delivery(write_set.delivery);
    if (book && std::ranges::count(book->taken_at, write_set.version) > 0)
      violated(fmt::format("two writes at version {} of {} were committed", write_set.version.value, book->text()));
  }

  Fence started_;
  Fence highest_;
};

}  // namespace

void make_attempt_checkers(Making& making) {
  making.add<Fencing>();
  making.add<AttemptLedger>();
  making.add<NoSendAfterConfirm>();
}

}  // namespace semel::sim
