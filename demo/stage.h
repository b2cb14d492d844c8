// stage.h: the two programs of the demo, set up as a person would: a server on a fresh store, a receiver with two
// sources, and one endpoint for each, `per-key` and `none`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "support/semel_server.h"

namespace semel::demo {

struct StagePlan {
  std::string semel;
  std::filesystem::path folder;
  std::vector<std::string> faults;
  std::string event_types = R"(["*"])";
};

class Stage {
 public:
  explicit Stage(const StagePlan& plan);
  Result<void> start();

  harness::SemelServer& server() { return server_; }
  harness::SemelListener& listener() { return listener_; }
  const std::vector<std::string>& sources() const { return names_; }

  // What the server's store holds right now, in one snapshot. Only while the server runs.
  struct Look {
    std::int64_t deliveries = 0;
    std::int64_t open = 0;
    std::int64_t parked = 0;
    std::int64_t attempts = 0;
    std::int64_t duplicates = 0;
  };
  Result<Look> look() const;

 private:
  StagePlan plan_;
  std::vector<std::string> names_;
  std::vector<std::string> secrets_;
  harness::SemelServer server_;
  harness::SemelListener listener_;
};

}  // namespace semel::demo
