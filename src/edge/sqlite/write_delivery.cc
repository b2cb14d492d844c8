// write_delivery.cc: attempts begin, are settled, and what else moves a delivery.
#include "base/check.h"
#include "base/planted.h"
#include "base/probe.h"
#include "edge/sqlite/delivery_rows.h"
#include "edge/sqlite/write_sets.h"

namespace semel::sqlite {
namespace {

// Nothing happens when its event has no ordering key.
void raise_highest_delivered(Transaction& transaction, const DeliveryAt& at) {
  auto line = transaction.sql.find_line_of_delivery.query(at.delivery);
  if (line.next())
    transaction.sql.raise_highest_delivered.run(at.tenant, at.endpoint, line.get<LineKey>(0), line.get<Sequence>(1));
}

// Where the delivery of a write-set has to stand.
template <class WriteSet>
DeliveryAt place_of(Transaction& transaction, const WriteSet& write_set) {
  DeliveryAt at{write_set.delivery, write_set.tenant, write_set.endpoint, write_set.version};
  if (planted(Planted::version_forgotten)) {
    auto row = transaction.sql.read_delivery.query(at.delivery);
    if (row.next()) at.version = read_delivery(row).version;
  }
  return at;
}

bool move(Transaction& transaction, const DeliveryAt& at, const delivery::State& state,
          const delivery::Record& record) {
  if (!move_delivery(transaction.sql.move_delivery, at, state, record)) return false;
  if (std::holds_alternative<delivery::Delivered>(state)) raise_highest_delivered(transaction, at);
  return true;
}

}  // namespace

store::CommitAnswer write(Transaction& transaction, const store::StartAttempt& start) {
  SEMEL_CHECK(start.state.attempt == start.record.attempts);
  if (!transaction.fence_stands(start.fence, start.tenant, start.endpoint) ||
      !transaction.endpoint_stands(start.tenant, start.endpoint, start.endpoint_version))
    return store::Conflict{};
  if (!begin_attempt(transaction.sql.begin_attempt, place_of(transaction, start), start.state, start.record)) {
    probe::reached<"sqlite.attempt_conflicts">();
    return store::Conflict{};
  }
  transaction.sql.insert_attempt.run(start.tenant, start.delivery, start.state.attempt, start.record.round,
                                     start.state.counts, start.state.started_at);
  return store::Committed{};
}

store::CommitAnswer write(Transaction& transaction, const store::SettleAttempt& settle) {
  if (!transaction.fence_stands(settle.fence, settle.tenant, settle.endpoint)) return store::Conflict{};
  if (!move(transaction, place_of(transaction, settle), settle.state, settle.record)) {
    probe::reached<"sqlite.settlement_conflicts">();
    return store::Conflict{};
  }
  transaction.sql.insert_outcome.run(settle.tenant, settle.delivery, settle.attempt, settle.outcome.at,
                                     settle.outcome.result, settle.outcome.failure, settle.outcome.http_status,
                                     settle.outcome.reason);
  probe::sometimes<"sqlite.stores_a_wait">(settle.endpoint_wait.has_value());
  if (settle.endpoint_wait)
    transaction.sql.store_endpoint_wait.run(settle.tenant, settle.endpoint, settle.endpoint_wait->until,
                                            settle.endpoint_wait->step);
  return store::Committed{};
}

store::CommitAnswer write(Transaction& transaction, const store::LateOutcome& late) {
  if (!transaction.sql.find_attempt.query(late.tenant, late.delivery, late.attempt).next())
    return store::Refused{{Fault::not_found, "there is no such attempt"}};
  probe::reached<"sqlite.keeps_a_late_outcome">();
  transaction.sql.insert_late_outcome.run(late.tenant, late.delivery, late.attempt, late.outcome.at,
                                          late.outcome.result, late.outcome.failure, late.outcome.http_status,
                                          late.outcome.reason);
  return store::Committed{};
}

store::CommitAnswer write(Transaction& transaction, const store::ChangeDelivery& change) {
  if ((!planted(Planted::fence_on_attempts_only) &&
       !transaction.fence_stands(change.fence, change.tenant, change.endpoint)) ||
      !transaction.endpoint_exists(change.tenant, change.endpoint))
    return store::Conflict{};
  if (!move(transaction, place_of(transaction, change), change.state, change.record)) {
    probe::reached<"sqlite.change_conflicts">();
    return store::Conflict{};
  }
  return store::Committed{};
}

}  // namespace semel::sqlite
