// inbox.cc: verify, read, judge, apply, write, commit; only then the answer.
#include "client/inbox.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/failpoint.h"
#include "base/json.h"
#include "base/match.h"
#include "base/planted.h"
#include "base/probe.h"
#include "sql/inbox/queries.h"

namespace semel::client {

using inbox::Arrival;
using inbox::Disposition;
using inbox::Ruling;
using inbox::wire_answer;
using inbox::WireAnswer;

namespace {

constexpr std::size_t kLinesMax = 1'024;

WireAnswer refusal(int status, std::string_view reason) {
  JsonWriter body;
  return {status, "", body.object().member("status", "refused").member("reason", reason).end().take(), std::nullopt};
}

}  // namespace

WireAnswer unavailable_answer() { return refusal(503, "inbox_unavailable"); }

// ---- opening ----

Result<Inbox> Inbox::open(sqlite3* db, std::string consumer, std::vector<InboxSource> sources) {
  std::vector<std::string> names;
  for (const InboxSource& source : sources) names.push_back(source.name);
  SEMEL_TRY(rows, InboxRows::open(db, consumer, names));
  SEMEL_TRY(transaction, TransactionSql::prepare(db));
  return Inbox(db, std::move(rows), std::move(sources), std::move(transaction));
}

Result<Inbox::TransactionSql> Inbox::TransactionSql::prepare(sqlite3* db) {
  SEMEL_TRY(begin, Statement::prepare(db, sql::inbox::begin));
  SEMEL_TRY(commit, Statement::prepare(db, sql::inbox::commit));
  SEMEL_TRY(roll_back, Statement::prepare(db, sql::inbox::roll_back));
  SEMEL_TRY(savepoint, Statement::prepare(db, sql::inbox::set_savepoint));
  SEMEL_TRY(undo_to_savepoint, Statement::prepare(db, sql::inbox::undo_to_savepoint));
  SEMEL_TRY(release_savepoint, Statement::prepare(db, sql::inbox::release_savepoint));
  return TransactionSql{std::move(begin),
                        std::move(commit),
                        std::move(roll_back),
                        std::move(savepoint),
                        std::move(undo_to_savepoint),
                        std::move(release_savepoint)};
}

Inbox::Inbox(sqlite3* db, InboxRows rows, std::vector<InboxSource> sources, TransactionSql transaction)
    : db_(db), rows_(std::move(rows)), sources_(std::move(sources)), transaction_(std::move(transaction)) {}

// ---- accepting ----

WireAnswer Inbox::accept(const Incoming& incoming, WallTime now, const ApplyEffect& apply) {
  WireAnswer answer = std::move(accept_all({&incoming, 1}, now, apply).front());
  drain_known_lines(now, apply, inbox::kDrainOnTheWayMax);
  return answer;
}

std::vector<WireAnswer> Inbox::accept_all(std::span<const Incoming> incoming, WallTime now, const ApplyEffect& apply) {
  Result<std::vector<WireAnswer>> answers = accept_in_one_transaction(incoming, now, apply);
  if (answers) return *std::move(answers);
  probe::reached<"inbox.unavailable">();
  return std::vector<WireAnswer>(incoming.size(), unavailable_answer());
}

Result<std::vector<WireAnswer>> Inbox::accept_in_one_transaction(std::span<const Incoming> incoming, WallTime now,
                                                                 const ApplyEffect& apply) {
  std::vector<WireAnswer> answers;
  SEMEL_TRY_VOID(in_transaction([&]() -> Result<void> {
    for (const Incoming& one : incoming) {
      SEMEL_TRY(answer, accept_one(one, now, apply));
      answers.push_back(std::move(answer));
    }
    return {};
  }));
  failpoint("in.committed");
  return answers;
}

Result<WireAnswer> Inbox::accept_one(const Incoming& incoming, WallTime now, const ApplyEffect& apply) {
  const std::expected<const InboxSource*, signature::Rejection> source = verify(incoming, now);
  probe::sometimes<"inbox.not_verified">(!source);
  if (!source) return refusal(401, signature::name_of(source.error()));
  const Result<Arrival> arrival = inbox::read_arrival(incoming.body, incoming.webhook_id, (*source)->name);
  if (!arrival) return refusal(400, arrival.error().note);
  SEMEL_TRY(facts, rows_.facts(rows_.key_of(arrival->source), *arrival));
  const Ruling ruling = inbox::judge_arrival(*arrival, facts, now);
  if (facts.parked_in_line > 0) remember({rows_.key_of(arrival->source), *arrival->endpoint, *arrival->ordering_key});
  return carry_out(ruling, *arrival, incoming.body, now, apply);
}

// The trouble told is that of the source that came furthest: a signature matches at most one of them.
std::expected<const InboxSource*, signature::Rejection> Inbox::verify(const Incoming& incoming, WallTime now) const {
  const signature::SignedHeaders headers{incoming.webhook_id, incoming.webhook_timestamp, incoming.webhook_signature};
  signature::Rejection last = signature::Rejection::no_match;
  for (const InboxSource& source : sources_) {
    const std::optional<signature::Rejection> rejection = signature::verify(source.keys, headers, incoming.body, now);
    if (!rejection) return &source;
    last = *rejection;
  }
  return std::unexpected(last);
}

// ---- carrying out a ruling, inside the open transaction ----

Result<WireAnswer> Inbox::carry_out(const Ruling& ruling, const Arrival& arrival, std::string_view body, WallTime now,
                                    const ApplyEffect& apply) {
  const SourceKey source = rows_.key_of(arrival.source);
  return match(
      ruling,
      [&](const inbox::Duplicate& duplicate) -> Result<WireAnswer> {
        probe::reached<"inbox.duplicate">();
        if (duplicate.first_through_this_endpoint) {
          SEMEL_TRY_VOID(end_applied(duplicate.moves_position, source, arrival, now));
        } else {
          SEMEL_TRY_VOID(rows_.end_parking(source, arrival));
        }
        return wire_answer(Disposition::duplicate);
      },
      [&](const inbox::Reject& reject) -> Result<WireAnswer> {
        SEMEL_TRY_VOID(rows_.end_parking(source, arrival));
        if (reject.keep_as_late) SEMEL_TRY_VOID(rows_.keep_late(source, arrival, now));
        return wire_answer(Disposition::rejected, reject.reason);
      },
      [&](const inbox::Park& park) -> Result<WireAnswer> {
        probe::reached<"inbox.parked">();
        if (!planted(Planted::parked_not_stored)) SEMEL_TRY_VOID(rows_.park(source, arrival, park.after, body, now));
        return wire_answer(Disposition::parked);
      },
      [&](const inbox::Later& later) -> Result<WireAnswer> { return wire_answer(Disposition::later, later.reason); },
      [&](const inbox::Superseded& superseded) -> Result<WireAnswer> {
        SEMEL_TRY_VOID(end_applied(superseded.moves_position, source, arrival, now));
        return wire_answer(Disposition::applied, "superseded");
      },
      [&](const inbox::Apply& ruled) { return make_effect(ruled, arrival, body, now, apply); });
}

Result<WireAnswer> Inbox::make_effect(const inbox::Apply& ruled, const Arrival& arrival, std::string_view body,
                                      WallTime now, const ApplyEffect& apply) {
  const SourceKey source = rows_.key_of(arrival.source);
  SEMEL_TRY_VOID(transaction_.savepoint.run());
  const EffectAnswer answer = apply(arrival, body);
  if (sqlite3_get_autocommit(db_)) return fail(Fault::unavailable, "the transaction ended while the effect was made");
  if (!std::holds_alternative<EffectMade>(answer)) SEMEL_TRY_VOID(transaction_.undo_to_savepoint.run());
  SEMEL_TRY_VOID(transaction_.release_savepoint.run());
  return match(
      answer,
      [&](const EffectMade&) -> Result<WireAnswer> {
        if (planted(Planted::dedup_in_own_transaction)) {
          SEMEL_TRY_VOID(transaction_.commit.run());
          SEMEL_TRY_VOID(transaction_.begin.run());
        }
        SEMEL_TRY_VOID(rows_.raise_entity_version(source, arrival));
        SEMEL_TRY_VOID(end_applied(ruled.moves_position, source, arrival, now));
        return wire_answer(Disposition::applied);
      },
      [&](const EffectRefused& refused) -> Result<WireAnswer> {
        probe::reached<"inbox.effect_refused">();
        SEMEL_TRY_VOID(rows_.store_rejected(source, arrival, refused.reason, now));
        SEMEL_TRY_VOID(rows_.end_parking(source, arrival));
        return wire_answer(Disposition::rejected, refused.reason);
      },
      [&](const EffectPostponed&) -> Result<WireAnswer> { return wire_answer(Disposition::later, "postponed"); });
}

Result<void> Inbox::end_applied(bool moves_position, SourceKey source, const Arrival& arrival, WallTime now) {
  SEMEL_TRY_VOID(rows_.store_applied(source, arrival, now));
  if (moves_position) SEMEL_TRY_VOID(rows_.move_position(source, arrival));
  return rows_.end_parking(source, arrival);
}

// ---- draining ----

Inbox::Drained Inbox::drain(WallTime now, const ApplyEffect& apply, std::size_t max) {
  Drained drained = drain_known_lines(now, apply, max);
  if (drained.more || !look_through_all_) return drained;
  if (!find_lines_with_turn()) return drained;
  probe::reached<"inbox.finds_lines_to_drain">();
  const Drained rest = drain_known_lines(now, apply, max - drained.applied - drained.others);
  return {drained.applied + rest.applied, drained.others + rest.others, rest.more || look_through_all_};
}

Inbox::Drained Inbox::drain_known_lines(WallTime now, const ApplyEffect& apply, std::size_t max) {
  Drained drained;
  std::vector<Line> postponed;
  while (!lines_.empty() && drained.applied + drained.others < max) {
    const Result<Turn> turn = drain_one(lines_.front(), now, apply);
    if (turn && *turn == Turn::applied) ++drained.applied;
    if (turn && *turn == Turn::other) ++drained.others;
    if (turn && (*turn == Turn::applied || *turn == Turn::other)) continue;
    if (!turn || *turn == Turn::postponed) postponed.push_back(std::move(lines_.front()));
    lines_.pop_front();
    if (!turn) break;
  }
  drained.more = !lines_.empty();
  probe::sometimes<"inbox.drains">(drained.applied > 0);
  probe::sometimes<"inbox.drain_is_cut_short">(drained.more);
  for (Line& line : postponed) remember(std::move(line));
  return drained;
}

Result<Inbox::Turn> Inbox::drain_one(const Line& line, WallTime now, const ApplyEffect& apply) {
  Turn turn = Turn::none;
  SEMEL_TRY_VOID(in_transaction([&]() -> Result<void> {
    SEMEL_TRY(parked, rows_.next_parked(line));
    if (!parked) return {};
    SEMEL_TRY(arrival, inbox::read_arrival(parked->body, parked->event_id, rows_.name_of(line.source)));
    arrival.round = parked->round;
    SEMEL_TRY(facts, rows_.facts(line.source, arrival));
    const std::optional<Ruling> ruling = inbox::judge_parked(arrival, facts);
    if (!ruling) return fail(Fault::corrupt, "a parked event's turn has come and has not come");
    SEMEL_TRY(answer, carry_out(*ruling, arrival, parked->body, now, apply));
    if (planted(Planted::parked_drained_twice)) SEMEL_TRY_VOID(carry_out(*ruling, arrival, parked->body, now, apply));
    const bool effect = std::holds_alternative<inbox::Apply>(*ruling) && answer.disposition == "applied";
    turn = effect ? Turn::applied : answer.disposition.empty() ? Turn::postponed : Turn::other;
    probe::sometimes<"inbox.parked_ends_without_effect">(turn == Turn::other);
    return {};
  }));
  return turn;
}

bool Inbox::find_lines_with_turn() {
  Result<std::vector<Line>> lines = rows_.lines_with_turn(kLinesMax);
  if (!lines) return note_trouble(lines.error()), false;
  look_through_all_ = lines->size() == kLinesMax;
  for (Line& line : *lines) remember(std::move(line));
  return !lines_.empty();
}

// A line that is remembered in vain costs one look; one that is forgotten would wait for ever.
void Inbox::remember(Line line) {
  if (lines_.size() >= kLinesMax) {
    look_through_all_ = true;
    return;
  }
  if (lines_.empty() || lines_.back() != line) lines_.push_back(std::move(line));
}

// ---- keeping ----

Result<void> Inbox::purge(WallTime now, std::size_t max) {
  return in_transaction([&] { return rows_.purge(now, max); });
}

Result<InboxTotals> Inbox::totals() { return rows_.totals(); }

Result<void> Inbox::in_transaction(const std::function<Result<void>()>& work) {
  if (broken_) return fail(Fault::unavailable, *broken_);
  SEMEL_CHECK(sqlite3_get_autocommit(db_));
  Result<void> done = transaction_.begin.run();
  if (done) done = work();
  if (done) done = transaction_.commit.run();
  if (done) return {};
  note_trouble(done.error());
  probe::sometimes<"inbox.refused_for_now">(!broken_);
  probe::sometimes<"inbox.file_in_trouble">(broken_.has_value());
  if (sqlite3_get_autocommit(db_)) return done;
  if (const Result<void> undone = transaction_.roll_back.run(); !undone) note_trouble(undone.error());
  return done;
}

void Inbox::note_trouble(const Error& error) {
  if (error.fault != Fault::unavailable && !broken_) broken_ = error.note;
}

}  // namespace semel::client
