// signals.h: what the process does with signals: the wish to end becomes a call on the loop, and a broken pipe or a
// file at its size limit becomes an error of the call that met it instead of the process's death.
#pragma once

#include <functional>
#include <memory>

#include "edge/os/loop.h"

namespace semel {

// SIGPIPE and SIGXFSZ are ignored from here on. Called once, before any thread starts.
void ignore_write_signals();

// Calls `on_stop` on the loop for each SIGTERM and SIGINT, so that a second one can mean "now". One at a time in a
// process; after its end the signals have their default action again.
class StopSignals {
 public:
  StopSignals(Loop& loop, std::move_only_function<void(int signal)> on_stop);
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace semel
