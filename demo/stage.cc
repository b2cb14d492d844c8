// stage.cc: receiver first, so that its port is known to the endpoints.
#include "stage.h"

#include <fmt/format.h>

#include "support/database.h"

namespace semel::demo {
namespace {

std::vector<std::pair<std::string, std::string>> pairs_of(const std::vector<std::string>& names,
                                                          const std::vector<std::string>& secrets) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::size_t i = 0; i < names.size(); ++i) pairs.emplace_back(names[i], secrets[i]);
  return pairs;
}

constexpr const char* kEndpointMembers =
    R"("ordering":"{}","event_types":{},"secret":"{}","timeout_ms":1000,"max_in_flight":32,)"
    R"("retry_policy":{{"base":"50ms","factor":2,"max_delay":"2s","max_elapsed":"10m"}})";

constexpr const char* kLook = R"sql(
SELECT (SELECT count(*) FROM delivery), (SELECT count(*) FROM delivery WHERE state < 7),
       (SELECT count(*) FROM delivery WHERE state = 4), (SELECT count(*) FROM attempt),
       (SELECT count(*) FROM attempt_outcome WHERE reason = 'duplicate')
)sql";

}  // namespace

Stage::Stage(const StagePlan& plan)
    : plan_(plan),
      names_{"per-key", "none"},
      secrets_{harness::random_webhook_secret(), harness::random_webhook_secret()},
      server_({.program = plan.semel, .folder = plan.folder, .arguments = {}, .environment = {}}),
      listener_({.program = plan.semel,
                 .folder = plan.folder,
                 .sources = pairs_of(names_, secrets_),
                 .faults = plan.faults,
                 .environment = {}}) {}

Result<void> Stage::start() {
  SEMEL_TRY_VOID(listener_.start());
  SEMEL_TRY_VOID(server_.start());
  for (std::size_t i = 0; i < names_.size(); ++i)
    SEMEL_TRY_VOID(server_.api().create_endpoint(
        {.url = listener_.url(),
         .members = fmt::format(fmt::runtime(kEndpointMembers), names_[i], plan_.event_types, secrets_[i])}));
  return {};
}

Result<Stage::Look> Stage::look() const {
  Look look;
  SEMEL_TRY_VOID(harness::query(server_.database(), kLook, [&](const harness::Row& row) {
    look = {row.integer(0), row.integer(1), row.integer(2), row.integer(3), row.integer(4)};
  }));
  return look;
}

}  // namespace semel::demo
