// write_sets.h: one function per kind of write-set, on rows in memory. Each stands or falls alone: what it relies on is
// checked first, and what breaks a rule of sql/sqlite/schema.sql changes nothing and is refused as corrupt.
//
// Invariants: I-FENCE, I-ATTEMPT-LEDGER, I-NO-HOLE, as in the SQLite store.
#pragma once

#include <string>

#include "port/store.h"
#include "sim/store/tables.h"

namespace semel::sim {

store::CommitAnswer write(Tables& tables, const store::Intake& intake);

store::CommitAnswer write(Tables& tables, const store::StartAttempt& start);
store::CommitAnswer write(Tables& tables, const store::SettleAttempt& settle);
store::CommitAnswer write(Tables& tables, const store::LateOutcome& late);
store::CommitAnswer write(Tables& tables, const store::ChangeDelivery& change);

store::CommitAnswer write(Tables& tables, const store::CreateEndpoint& create);
store::CommitAnswer write(Tables& tables, const store::DeleteEndpoint& remove);
store::CommitAnswer write(Tables& tables, const store::CreateSubscription& create);
store::CommitAnswer write(Tables& tables, const store::DeleteSubscription& remove);

store::CommitAnswer write(Tables& tables, const store::CreateApiKey& create);
store::CommitAnswer write(Tables& tables, const store::DeleteApiKey& remove);

inline store::Refused refused(Fault fault, std::string note) { return {{fault, std::move(note)}}; }
inline store::Refused breaks_rule(const std::string& rule) {
  return refused(Fault::corrupt, "the store's own rules forbid it: " + rule);
}

}  // namespace semel::sim
