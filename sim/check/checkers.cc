// checkers.cc: all checkers of a world, and the books they read, which are brought up to date behind them.
#include "sim/check/groups.h"

namespace semel::sim {

std::vector<std::unique_ptr<Checker>> make_checkers(const Known& known, const Checker::Violated& violated) {
  std::vector<std::unique_ptr<Checker>> checkers;
  const auto books = std::make_shared<Books>(known);
  Making making{.known = known, .violated = violated, .books = books, .into = checkers};
  make_acceptance_checkers(making);
  make_identity_checkers(making);
  make_attempt_checkers(making);
  make_outcome_checkers(making);
  make_retry_checkers(making);
  make_backoff_checkers(making);
  make_effect_checkers(making);
  make_order_checkers(making);
  make_arrival_checkers(making);
  make_inbox_answer_checkers(making);
  make_security_checkers(making);
  make_bound_checkers(making);
  checkers.push_back(make_book_keeper(known, violated, books));
  return checkers;
}

}  // namespace semel::sim
