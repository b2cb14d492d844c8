// accounts.cc: counting, nothing else.
#include "accounts.h"

#include <fmt/format.h>

#include <fstream>
#include <set>
#include <unordered_map>

#include "base/json.h"
#include "support/api_client.h"
#include "support/database.h"

namespace semel::demo {
namespace {

using Line = std::pair<std::string, std::string>;  // source and ordering key

}  // namespace

Result<std::vector<Effect>> read_ledger(const std::string& file) {
  std::ifstream lines(file);
  if (!lines) return fail(Fault::not_found, fmt::format("{} cannot be read", file));
  std::vector<Effect> effects;
  for (std::string line; std::getline(lines, line);) {
    SEMEL_TRY(document, parse_json(line));
    const JsonValue root = document.root();
    effects.push_back({.source = harness::text_of(root, "source"),
                       .event_id = harness::text_of(root, "event_id"),
                       .ordering_key = harness::text_of(root, "ordering_key"),
                       .sequence = harness::number_of(root, "sequence"),
                       .data_sha256 = harness::text_of(root, "data_sha256")});
  }
  return effects;
}

Result<ServerAccount> read_server_account(const std::string& database) {
  ServerAccount account;
  const std::pair<std::int64_t*, const char*> counts[] = {
      {&account.delivered, "SELECT count(*) FROM delivery WHERE state = 7"},
      {&account.dead, "SELECT count(*) FROM delivery WHERE state = 8"},
      {&account.open, "SELECT count(*) FROM delivery WHERE state < 7"},
      {&account.parked, "SELECT count(*) FROM delivery WHERE state = 4"},
      {&account.attempts, "SELECT count(*) FROM attempt"},
      {&account.ever_parked, "SELECT count(DISTINCT delivery_key) FROM attempt_outcome WHERE result = 'parked'"},
      {&account.duplicate_answers, "SELECT count(*) FROM attempt_outcome WHERE reason = 'duplicate'"},
  };
  for (const auto& [count, sql] : counts) {
    SEMEL_TRY(number, harness::query_number(database, sql));
    *count = number;
  }
  SEMEL_TRY_VOID(harness::query(database, "SELECT at_ms FROM attempt_outcome WHERE result = 'delivered' ORDER BY at_ms",
                                [&](const harness::Row& row) { account.settled_at_ms.push_back(row.integer(0)); }));
  return account;
}

bool Verdict::good() const {
  return lost == 0 && duplicate_effects == 0 && out_of_order == 0 && altered == 0 && unexplained == 0 &&
         server.dead == 0 && server.open == 0 && server.parked == 0 && applied == accepted &&
         server.delivered == accepted;
}

Verdict compare(const std::vector<Told>& told, const std::vector<std::string>& sources,
                const std::vector<Effect>& effects, ServerAccount server) {
  std::unordered_map<std::string, const Told*> by_id;
  for (const Told& one : told) by_id[one.id] = &one;

  Verdict verdict{.server = std::move(server)};
  verdict.accepted = static_cast<std::int64_t>(by_id.size() * sources.size());
  std::set<std::pair<std::string, std::string>> applied;  // source and event
  std::map<Line, std::int64_t> position;
  for (const Effect& effect : effects) {
    const auto found = by_id.find(effect.event_id);
    if (found == by_id.end()) {
      ++verdict.unexplained;
      continue;
    }
    const Told& one = *found->second;
    if (!applied.emplace(effect.source, effect.event_id).second) ++verdict.duplicate_effects;
    if (effect.data_sha256 != one.event->data_sha256) ++verdict.altered;
    // Every endpoint here gets every event, so each position must be the one after the last.
    std::int64_t& last = position[{effect.source, one.event->ordering_key}];
    if (effect.ordering_key != one.event->ordering_key || effect.sequence != one.sequence ||
        effect.sequence != last + 1)
      ++verdict.out_of_order;
    last = effect.sequence;
  }
  verdict.applied = static_cast<std::int64_t>(applied.size());
  for (const std::string& source : sources)
    for (const auto& [id, one] : by_id) verdict.lost += applied.contains({source, id}) ? 0 : 1;
  return verdict;
}

}  // namespace semel::demo
