// exit_code.h: the exit codes of semel, in one place. Scripts rely on them: a code never changes its meaning.
#pragma once

#include "base/result.h"

namespace semel::cli {

enum ExitCode : int {
  exit_ok = 0,
  exit_failed = 1,  // something was refused or is wrong; the message says what
  exit_usage = 2,   // the command line, the configuration or the request makes no sense as it is
  exit_not_found = 3,
  exit_forbidden = 4,        // no valid key, or the key may not do this
  exit_conflict = 5,         // it does not fit what is stored
  exit_unavailable = 6,      // surely nothing happened; the same again later may succeed
  exit_unknown_outcome = 7,  // it may have happened; look before doing it again
  exit_store_lost = 8,       // the store can no longer be trusted; an operator has to look
};

constexpr ExitCode exit_code_of(Fault fault) {
  switch (fault) {
    case Fault::invalid:
      return exit_usage;
    case Fault::not_found:
      return exit_not_found;
    case Fault::forbidden:
      return exit_forbidden;
    case Fault::conflict:
      return exit_conflict;
    case Fault::fenced:
      return exit_failed;
    case Fault::busy:
      return exit_unavailable;
    case Fault::unavailable:
      return exit_unavailable;
    case Fault::timed_out:
      return exit_unknown_outcome;
    case Fault::unknown_outcome:
      return exit_unknown_outcome;
    case Fault::corrupt:
      return exit_store_lost;
  }
  std::unreachable();
}

// Of an answer of the server that is not a success.
constexpr ExitCode exit_code_of_status(int status) {
  if (status == 401 || status == 403) return exit_forbidden;
  if (status == 404 || status == 410) return exit_not_found;
  if (status == 409 || status == 422 || status == 424) return exit_conflict;
  if (status == 429 || status == 503) return exit_unavailable;
  if (status >= 400 && status < 500) return exit_usage;
  return exit_failed;
}

inline constexpr const char* kExitCodesHelp =
    "Exit codes: 0 done; 1 failed; 2 wrong usage, configuration or request; 3 not found; 4 not allowed; 5 does not fit "
    "what is stored; 6 not reachable or busy, nothing happened; 7 outcome unknown, look before you repeat it; 8 the "
    "store cannot be trusted.";

}  // namespace semel::cli
