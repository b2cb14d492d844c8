// server.h: the server, put together: `semel serve`.
//
// Start:  master key, store, tenants, keys, endpoints, dispatcher, listener; nothing is listened on before all that is
//         loaded.
// End:    on SIGTERM or SIGINT nothing new is accepted or attempted; what is in flight ends and is recorded, or is
//         found as lapsed at the next start; after kStopWithin at the latest. A second signal ends it at once.
// On a crash: the next start continues from the store.
#pragma once

#include <functional>
#include <string>

#include "app/config.h"
#include "base/result.h"
#include "base/time.h"

namespace semel::app {

inline constexpr milliseconds kStopWithin{9'000};

struct Console {
  bool watched = false;                              // by a person
  std::function<void(const std::string& line)> say;  // "listening on http://..", and the operator's key
};

// Returns when the server has ended in order. Fault::busy: the store or the port is taken; Fault::corrupt: the store
// can no longer be trusted.
Result<void> run_server(const Config& config, Console console);

}  // namespace semel::app
