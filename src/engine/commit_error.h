// commit_error.h: the answers of a commit that are not "committed", as errors, for changes of configuration that a
// person asked for.
#pragma once

#include "base/match.h"
#include "base/probe.h"
#include "base/result.h"
#include "port/store.h"

namespace semel::engine {

// What the commit made, when it was committed.
inline Result<store::Committed> committed_or_error(store::CommitAnswer answer) {
  return match(
      std::move(answer), [](store::Committed committed) -> Result<store::Committed> { return committed; },
      [](store::Conflict) -> Result<store::Committed> {
        return fail(Fault::conflict, "something else changed it at the same time; read again and decide again");
      },
      [](store::Refused refused) -> Result<store::Committed> {
        probe::reached<"configuration.change_refused">();
        return std::unexpected(std::move(refused.error));
      },
      [](store::Unknown unknown) -> Result<store::Committed> {
        probe::reached<"configuration.change_in_doubt">();
        return fail(Fault::unknown_outcome, std::move(unknown.error.note));
      });
}

}  // namespace semel::engine
