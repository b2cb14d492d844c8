// write_sets.h: one function per kind of write-set. Each checks everything it relies on before it changes a row, so
// that it stands or falls alone within its group.
//
// Invariants: I-FENCE, I-ATTEMPT-LEDGER (attempt and outcome rows are only ever added), I-NO-HOLE.
// Threads:    the writer lane, inside a transaction.
#pragma once

#include "edge/sqlite/transaction.h"
#include "port/store.h"

namespace semel::sqlite {

store::CommitAnswer write(Transaction& transaction, const store::Intake& intake);

store::CommitAnswer write(Transaction& transaction, const store::StartAttempt& start);
store::CommitAnswer write(Transaction& transaction, const store::SettleAttempt& settle);
store::CommitAnswer write(Transaction& transaction, const store::LateOutcome& late);
store::CommitAnswer write(Transaction& transaction, const store::ChangeDelivery& change);

store::CommitAnswer write(Transaction& transaction, const store::CreateEndpoint& create);
store::CommitAnswer write(Transaction& transaction, const store::DeleteEndpoint& remove);
store::CommitAnswer write(Transaction& transaction, const store::CreateSubscription& create);
store::CommitAnswer write(Transaction& transaction, const store::DeleteSubscription& remove);

store::CommitAnswer write(Transaction& transaction, const store::CreateApiKey& create);
store::CommitAnswer write(Transaction& transaction, const store::DeleteApiKey& remove);

}  // namespace semel::sqlite
