// accounts.h: three independent accounts of the same events, and what they say when they are laid side by side.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "producers.h"

namespace semel::demo {

// One effect at the receiver, in the order in which effects took place.
struct Effect {
  std::string source;
  std::string event_id;
  std::string ordering_key;
  std::int64_t sequence = 0;
  std::string data_sha256;
};
// The receiver's ledger file.
Result<std::vector<Effect>> read_ledger(const std::string& file);

// What the server says of its deliveries; read from its store after it has stopped.
struct ServerAccount {
  std::int64_t delivered = 0;
  std::int64_t dead = 0;
  std::int64_t open = 0;
  std::int64_t attempts = 0;
  std::int64_t ever_parked = 0;             // deliveries answered parked at least once
  std::int64_t parked = 0;                  // and still so
  std::int64_t duplicate_answers = 0;       // requests answered `duplicate`
  std::vector<std::int64_t> settled_at_ms;  // wall time of each delivered outcome, rising
};
Result<ServerAccount> read_server_account(const std::string& database);

struct Verdict {
  std::int64_t accepted = 0;  // pairs of event and endpoint, from here on
  std::int64_t applied = 0;
  std::int64_t lost = 0;
  std::int64_t duplicate_effects = 0;
  std::int64_t out_of_order = 0;
  std::int64_t altered = 0;      // arrived with other bytes than were sent
  std::int64_t unexplained = 0;  // effects of events that no producer was told about
  ServerAccount server;
  bool good() const;
};

// `sources`: one per endpoint; each must have applied every event that was told.
Verdict compare(const std::vector<Told>& told, const std::vector<std::string>& sources,
                const std::vector<Effect>& effects, ServerAccount server);

}  // namespace semel::demo
