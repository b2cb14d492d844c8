// rude_caller.h: a client that asks for what it must not have: without a key, in a wrong shape, too much, twice under
// one id, out of sequence. Nothing of it may be taken.
#pragma once

#include "port/scope.h"
#include "sim/workload/submitter.h"

namespace semel::sim {

class RudeCaller {
 public:
  explicit RudeCaller(Stage& stage);

  void start();
  bool done() const { return scope_.running() == 0; }

 private:
  Co<void> run();
  Co<void> knock();
  Co<void> spoil_batches();
  Co<void> repeat_ids();
  Co<void> break_sequences();
  Co<void> talk_nonsense();
  Co<void> crowd();
  // An answer that takes what must be refused is a violation of this invariant.
  Co<void> must_be_refused(std::string_view invariant, std::string method, std::string path, std::string body);
  Co<std::unique_ptr<Stream>> connect(Cancel& cancel);  // nullptr: none
  Co<void> say(std::string_view bytes);

  Stage& stage_;
  Submitter by_;
  std::unique_ptr<Net> net_;
  Scope scope_;
};

}  // namespace semel::sim
