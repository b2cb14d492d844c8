// writer.h: commits a group of write-sets in one transaction.
//
// Each write-set stands or falls alone: it checks before it writes, and one that breaks a rule of the schema all the
// same is taken out and the group is done again without it.
// Answers:    see port/store.h. When COMMIT fails, every answer of the group is Unknown, also the refusals: they were
//             decided on rows that may not be there.
// Invariant:  I-ACK-DURABLE  Committed is returned only after COMMIT returned, with synchronous=FULL.
// Threads:    the writer lane.
#pragma once

#include <string>
#include <vector>

#include "edge/sqlite/connection.h"
#include "edge/sqlite/transaction.h"
#include "port/store.h"

namespace semel::sqlite {

class Writer {
 public:
  explicit Writer(Connection& connection) : connection_(connection), transaction_(connection) {}

  struct GroupAnswer {
    std::vector<store::CommitAnswer> answers;  // one per write-set, in their order
    std::optional<std::string> fatal;          // the process must end
  };
  GroupAnswer commit(const std::vector<const store::WriteSet*>& group);

 private:
  enum class Attempt { done, again };
  Attempt write_all(const std::vector<const store::WriteSet*>& group, std::vector<bool>& left_out, GroupAnswer& answer);
  void commit_written(GroupAnswer& answer, const std::vector<const store::WriteSet*>& group);
  void give_up(GroupAnswer& answer, const store::CommitAnswer& everyone);

  Connection& connection_;
  Transaction transaction_;
};

}  // namespace semel::sqlite
