// groups.h: how the checkers are put together: one function per file of them.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "sim/check/books.h"
#include "sim/check/checker.h"

namespace semel::sim {

struct Making {
  const Known& known;
  const Checker::Violated& violated;
  std::shared_ptr<const Books> books;
  std::vector<std::unique_ptr<Checker>>& into;

  template <class C>
  void add() {
    into.push_back(std::make_unique<C>(known, violated, *books));
  }
};

// A checker that looks up in the books how things stood before the observation at hand.
class BookChecker : public Checker {
 public:
  BookChecker(const Known& known, Violated violated, const Books& books)
      : Checker(known, std::move(violated)), books_(books) {}

 protected:
  const Books& books_;
};

void make_acceptance_checkers(Making& making);
void make_identity_checkers(Making& making);
void make_attempt_checkers(Making& making);
void make_outcome_checkers(Making& making);
void make_retry_checkers(Making& making);
void make_backoff_checkers(Making& making);
void make_order_checkers(Making& making);
void make_effect_checkers(Making& making);
void make_arrival_checkers(Making& making);
void make_inbox_answer_checkers(Making& making);
void make_security_checkers(Making& making);
void make_bound_checkers(Making& making);

}  // namespace semel::sim
