// inbox.cc: the six rules, in their order.
#include "core/inbox/inbox.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/match.h"
#include "base/planted.h"
#include "base/probe.h"

namespace semel::inbox {
namespace {

// Rule 1. A foreign body says nothing about its age; its signature's time window bounds it instead.
bool too_old_to_judge(const Arrival& arrival, const InboxFacts& facts, WallTime now) {
  if (!arrival.accepted_at) return false;
  if (facts.purged_through && *arrival.accepted_at <= *facts.purged_through) return true;
  return now - *arrival.accepted_at > kDedupRetention - std::chrono::hours(24);
}

// Rule 3: a round that was not yet rejected through this endpoint is judged anew.
bool is_rejected_again(const Arrival& arrival, const RejectedByApplication& rejected) {
  return rejected.round && arrival.round <= *rejected.round;
}

Sequence lowest_after(const Arrival& arrival, const InboxFacts& facts) {
  return facts.parked_after ? std::min(*arrival.after, *facts.parked_after) : *arrival.after;
}

// Rule 5. A copy of what is parked already takes no further room.
Ruling park_within_quota(Sequence after, const InboxFacts& facts) {
  probe::sometimes<"inbox.parked_comes_again">(facts.parked_after.has_value());
  const bool full = facts.parked_in_line >= kParkedPerLineMax || facts.parked_in_all >= kParkedMax;
  if (planted(Planted::parked_answered_duplicate) && facts.parked_after) return Duplicate{};
  probe::sometimes<"inbox.quota_reached">(full && !facts.parked_after);
  if (full && !facts.parked_after && !planted(Planted::park_without_bound)) return Later{"parked_quota"};
  return Park{after};
}

// Rule 6, as far as the inbox knows the answer without asking the application.
Ruling apply_unless_superseded(const Arrival& arrival, const InboxFacts& facts, bool moves_position) {
  const bool superseded = arrival.entity() && arrival.entity_version && facts.entity_version &&
                          *arrival.entity_version <= *facts.entity_version;
  probe::sometimes<"inbox.superseded">(superseded);
  if (superseded) return Superseded{moves_position};
  return Apply{moves_position};
}

Ruling judge_applied(const Arrival& arrival, const InboxFacts& facts, const Applied& applied) {
  probe::sometimes<"inbox.applied_through_another_endpoint">(!applied.through_this_endpoint);
  if (applied.through_this_endpoint) return Duplicate{};
  if (!arrival.ordered()) return Duplicate{.first_through_this_endpoint = true};
  const Sequence after = lowest_after(arrival, facts);
  if (after > facts.position) return park_within_quota(after, facts);
  return Duplicate{.first_through_this_endpoint = true, .moves_position = *arrival.sequence > facts.position};
}

Ruling judge_not_applied(const Arrival& arrival, const InboxFacts& facts) {
  if (!arrival.ordered()) return apply_unless_superseded(arrival, facts, false);
  if (*arrival.sequence <= facts.position) {
    if (arrival.out_of_order) return apply_unless_superseded(arrival, facts, false);
    probe::reached<"inbox.late">();
    if (planted(Planted::late_answered_duplicate)) return Duplicate{};
    return Reject{.reason = "late", .keep_as_late = true};
  }
  const Sequence after = lowest_after(arrival, facts);
  if (after > facts.position) return park_within_quota(after, facts);
  return apply_unless_superseded(arrival, facts, true);
}

Ruling judge_in_retention(const Arrival& arrival, const InboxFacts& facts) {
  return match(
      facts.known, [&](std::monostate) { return judge_not_applied(arrival, facts); },
      [&](const Applied& applied) { return judge_applied(arrival, facts, applied); },
      [&](const RejectedByApplication& rejected) -> Ruling {
        probe::sometimes<"inbox.rejected_again">(is_rejected_again(arrival, rejected));
        probe::sometimes<"inbox.rejected_is_judged_anew">(!is_rejected_again(arrival, rejected));
        if (is_rejected_again(arrival, rejected)) return Reject{.reason = rejected.reason};
        return judge_not_applied(arrival, facts);
      });
}

}  // namespace

Ruling judge_arrival(const Arrival& arrival, const InboxFacts& facts, WallTime now) {
  if (too_old_to_judge(arrival, facts, now)) {
    probe::reached<"inbox.too_old_to_judge">();
    return Reject{.reason = "too_old_to_judge"};
  }
  return judge_in_retention(arrival, facts);
}

std::optional<Ruling> judge_parked(const Arrival& parked, const InboxFacts& facts) {
  SEMEL_CHECK(parked.ordered());
  SEMEL_CHECK(facts.parked_after.has_value());
  if (*facts.parked_after > facts.position) return std::nullopt;
  Arrival in_turn = parked;
  in_turn.out_of_order = false;
  return judge_in_retention(in_turn, facts);
}

WireAnswer wire_answer(Disposition disposition, std::string_view reason) {
  WireAnswer answer{};
  std::string_view status;
  switch (disposition) {
    case Disposition::applied:
      answer = {200, "applied", "", {}}, status = "applied";
      break;
    case Disposition::duplicate:
      answer = {200, "duplicate", "", {}}, status = "already_processed";
      break;
    case Disposition::parked:
      answer = {202, "parked", "", {}}, status = "parked";
      break;
    case Disposition::rejected:
      answer = {422, "rejected", "", {}}, status = "rejected";
      break;
    case Disposition::later:
      answer = {425, "", "", kLaterRetryAfterSeconds}, status = "later";
      break;
  }
  JsonWriter body;
  body.object().member("status", status);
  if (!reason.empty()) body.member("reason", reason);
  answer.body = body.end().take();
  return answer;
}

}  // namespace semel::inbox
