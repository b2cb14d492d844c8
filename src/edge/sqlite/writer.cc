// writer.cc: begin, write all, commit; and what each kind of failure means for the answers.
#include "edge/sqlite/writer.h"

#include <algorithm>
#include <utility>

#include "base/failpoint.h"
#include "base/match.h"
#include "base/planted.h"
#include "base/probe.h"
#include "edge/sqlite/write_sets.h"

namespace semel::sqlite {
namespace {

store::CommitAnswer refused(const Failure& failure) {
  return store::Refused{{Fault::unavailable, "the store could not begin or write: " + failure.note}};
}

store::CommitAnswer unknown(const Failure& failure) {
  return store::Unknown{{Fault::unknown_outcome, "the store could not commit: " + failure.note},
                        failure.trouble != Trouble::full};
}

bool has_intake(const std::vector<const store::WriteSet*>& group) {
  return std::ranges::any_of(group,
                             [](const store::WriteSet* set) { return std::holds_alternative<store::Intake>(*set); });
}

}  // namespace

Writer::GroupAnswer Writer::commit(const std::vector<const store::WriteSet*>& group) {
  probe::sometimes<"sqlite.group_of_several">(group.size() > 1);
  GroupAnswer answer;
  answer.answers.resize(group.size(), store::Conflict{});
  std::vector<bool> left_out(group.size());
  // Each further turn has one write-set less.
  for (std::size_t turn = 0; turn <= group.size(); ++turn)
    if (write_all(group, left_out, answer) == Attempt::done) break;
  return answer;
}

Writer::Attempt Writer::write_all(const std::vector<const store::WriteSet*>& group, std::vector<bool>& left_out,
                                  GroupAnswer& answer) {
  if (planted(Planted::acknowledge_before_commit) && !sqlite3_get_autocommit(connection_.handle()))
    connection_.commit();
  connection_.begin_immediate();
  for (std::size_t i = 0; i < group.size() && !connection_.failure(); ++i) {
    if (left_out[i]) continue;
    answer.answers[i] = match(*group[i], [&](const auto& write_set) { return write(transaction_, write_set); });
    if (connection_.failure() && connection_.failure()->trouble == Trouble::constraint) {
      left_out[i] = true;
      answer.answers[i] =
          store::Refused{{Fault::corrupt, "the store's own rules forbid it: " + connection_.failure()->note}};
      connection_.rollback();
      connection_.clear_failure();
      transaction_.forget_everything();
      return Attempt::again;
    }
  }
  if (!connection_.failure()) {
    commit_written(answer, group);
    return Attempt::done;
  }
  const Failure failure = *connection_.failure();
  // Nothing was committed: without space, or with a foreign process in the way, everything may be tried again.
  const bool harmless = failure.trouble == Trouble::full ||
                        (failure.trouble == Trouble::busy && sqlite3_get_autocommit(connection_.handle()) != 0);
  probe::sometimes<"sqlite.fails_before_the_commit">(!harmless);
  give_up(answer, harmless ? refused(failure) : unknown(failure));
  if (!harmless) answer.fatal = failure.note;
  return Attempt::done;
}

void Writer::commit_written(GroupAnswer& answer, const std::vector<const store::WriteSet*>& group) {
  if (!planted(Planted::acknowledge_before_commit) && !connection_.commit()) {
    const Failure failure = *connection_.failure();
    probe::sometimes<"sqlite.no_space_in_the_commit">(failure.trouble == Trouble::full);
    probe::sometimes<"sqlite.commit_fails">(failure.trouble != Trouble::full);
    give_up(answer, unknown(failure));
    if (failure.trouble != Trouble::full) answer.fatal = failure.note;
    return;
  }
  transaction_.forget_reads();
  if (has_intake(group)) failpoint("enq.after_commit");
}

void Writer::give_up(GroupAnswer& answer, const store::CommitAnswer& everyone) {
  connection_.rollback();
  connection_.clear_failure();
  transaction_.forget_everything();
  std::ranges::fill(answer.answers, everyone);
}

}  // namespace semel::sqlite
