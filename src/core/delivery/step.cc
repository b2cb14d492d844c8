// step.cc: the transitions, one function per input; each lists every state.
#include "core/delivery/step.h"

#include <utility>

#include "base/check.h"
#include "base/match.h"
#include "base/planted.h"
#include "base/probe.h"

namespace semel::delivery {
namespace {

Transition stay(State next, const Record& record) { return {std::move(next), record, Consequence::none}; }

Step begin(const Record& before, WallTime now, bool counts) {
  Record record = before;
  ++record.attempts;
  if (!record.progress.clock_origin) record.progress.clock_origin = now;
  return stay(InFlight{.attempt = record.attempts, .started_at = now, .counts = counts}, record);
}

Transition settle_into(const retry::Verdict& verdict, Record record, WallTime now) {
  record.progress = verdict.after;
  return match(
      verdict.decision,
      [&](const retry::Delivered&) -> Transition {
        probe::sometimes<"delivery.delivered_after_doubt">(record.unsettled);
        probe::sometimes<"delivery.delivered_again">(record.first_delivered_at.has_value());
        record.unsettled = false;
        if (!record.first_delivered_at) record.first_delivered_at = now;
        return {Delivered{now}, record, Consequence::line_moves};
      },
      [&](const retry::RetryAt& again) { return stay(Due{again.at}, record); },
      [&](const retry::ParkedUntil& parked) {
        probe::sometimes<"delivery.parked_again">(record.parked_since.has_value());
        if (!record.parked_since) record.parked_since = now;
        ++record.parked_asks;
        record.unsettled = true;
        return stay(Parked{parked.ask_at}, record);
      },
      [&](const retry::UnknownUntil& unknown) {
        record.unsettled = true;
        return stay(Unknown{.at = unknown.resend_at, .extra_attempt = unknown.extra_attempt}, record);
      },
      [&](const retry::DeadNow& dead) {
        record.unsettled = dead.in_doubt || (record.unsettled && !planted(Planted::doubt_forgotten_at_death));
        probe::sometimes<"delivery.dead_in_doubt">(record.unsettled);
        return stay(Dead{now, dead.reason}, record);
      });
}

Replay open_next_round(const Record& before, WallTime now) {
  Record record = before;
  ++record.round;
  record.progress = {};
  record.parked_since.reset();
  record.parked_asks = 0;
  return {stay(Due{now}, record), false};
}

}  // namespace

const char* name_of(StateName state) {
  switch (state) {
    case StateName::due:
      return "due";
    case StateName::in_flight:
      return "in_flight";
    case StateName::unknown:
      return "unknown";
    case StateName::parked:
      return "parked";
    case StateName::delivered:
      return "delivered";
    case StateName::dead:
      return "dead";
    case StateName::cancelled:
      return "cancelled";
  }
  std::unreachable();
}

StateName name_of(const State& state) {
  return match(
      state, [](const Due&) { return StateName::due; }, [](const InFlight&) { return StateName::in_flight; },
      [](const Unknown&) { return StateName::unknown; }, [](const Parked&) { return StateName::parked; },
      [](const Delivered&) { return StateName::delivered; }, [](const Dead&) { return StateName::dead; },
      [](const Cancelled&) { return StateName::cancelled; });
}

const char* name_of(Ignored reason) {
  switch (reason) {
    case Ignored::not_sendable:
      return "not_sendable";
    case Ignored::not_in_flight:
      return "not_in_flight";
    case Ignored::already_over:
      return "already_over";
  }
  std::unreachable();
}

bool may_have_happened(const State& state, const Record& record) {
  const StateName name = name_of(state);
  return (name == StateName::dead || name == StateName::cancelled) && record.unsettled;
}

Step start_attempt(const State& state, const Record& record, WallTime now) {
  probe::sometimes<"delivery.sent_again_after_doubt">(std::holds_alternative<Unknown>(state));
  probe::sometimes<"delivery.asked_again_while_parked">(std::holds_alternative<Parked>(state));
  return match(
      state, [&](const Due&) { return begin(record, now, true); },
      [&](const Unknown& unknown) { return begin(record, now, !unknown.extra_attempt); },
      [&](const Parked&) { return begin(record, now, true); },
      [](const InFlight&) -> Step { return std::unexpected(Ignored::not_sendable); },
      [](const Delivered&) -> Step { return std::unexpected(Ignored::already_over); },
      [](const Dead&) -> Step { return std::unexpected(Ignored::already_over); },
      [](const Cancelled&) -> Step { return std::unexpected(Ignored::already_over); });
}

Step settle(const State& state, const Record& record, const retry::Verdict& verdict, WallTime now) {
  return match(
      state, [&](const InFlight&) -> Step { return settle_into(verdict, record, now); },
      [](const Due&) -> Step { return std::unexpected(Ignored::not_in_flight); },
      [](const Unknown&) -> Step { return std::unexpected(Ignored::not_in_flight); },
      [](const Parked&) -> Step { return std::unexpected(Ignored::not_in_flight); },
      [](const Delivered&) -> Step { return std::unexpected(Ignored::already_over); },
      [](const Dead&) -> Step { return std::unexpected(Ignored::already_over); },
      [](const Cancelled&) -> Step { return std::unexpected(Ignored::already_over); });
}

Step lapsed(const State& state, const Record& record, WallTime now) {
  const auto* flight = std::get_if<InFlight>(&state);
  if (!flight) return std::unexpected(Ignored::not_in_flight);
  Record doubted = record;
  doubted.unsettled = true;
  return stay(Unknown{.at = now, .extra_attempt = !flight->counts}, doubted);
}

std::expected<Replay, Ignored> replay(const State& state, const Record& record, WallTime now) {
  using Answer = std::expected<Replay, Ignored>;
  probe::sometimes<"replay.of_a_due_one">(std::holds_alternative<Due>(state));
  probe::sometimes<"replay.of_an_unknown_one">(std::holds_alternative<Unknown>(state));
  probe::sometimes<"replay.of_a_parked_one">(std::holds_alternative<Parked>(state));
  probe::sometimes<"replay.of_a_delivered_one">(std::holds_alternative<Delivered>(state));
  probe::sometimes<"replay.of_a_dead_one">(std::holds_alternative<Dead>(state));
  return match(
      state, [&](const Due&) -> Answer { return Replay{stay(Due{now}, record), true}; },
      [&](const Unknown& unknown) -> Answer {
        return Replay{stay(Unknown{.at = now, .extra_attempt = unknown.extra_attempt}, record), true};
      },
      [&](const Parked&) -> Answer { return Replay{stay(Parked{now}, record), true}; },
      [](const InFlight&) -> Answer { return std::unexpected(Ignored::not_sendable); },
      [&](const Delivered&) -> Answer { return open_next_round(record, now); },
      [&](const Dead&) -> Answer { return open_next_round(record, now); },
      [&](const Cancelled&) -> Answer { return open_next_round(record, now); });
}

Step cancel(const State& state, const Record& record, std::string reason, WallTime now) {
  if (!is_open(name_of(state))) return std::unexpected(Ignored::already_over);
  Record last = record;
  probe::sometimes<"delivery.cancelled_in_flight">(std::holds_alternative<InFlight>(state));
  last.unsettled = last.unsettled || std::holds_alternative<InFlight>(state);
  return Transition{Cancelled{now, std::move(reason)}, last, Consequence::line_moves};
}

}  // namespace semel::delivery
