// stage.h: what every workload plays on, and the clients it plays with.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/simple_client.h"
#include "port/scope.h"
#include "sim/world/ground.h"
#include "sim/world/receiver_node.h"
#include "sim/world/server_node.h"
#include "sim/world/witness.h"

namespace semel::sim {

// A machine of a partner or an operator: it never fails.
class ClientHost {
 public:
  ClientHost(Ground& ground, std::string name, std::uint32_t number);

  Process process;

  using Headers = std::vector<std::pair<std::string, std::string>>;
  // Asks the server, once, as whoever holds `key`.
  Co<Result<http::SimpleAnswer>> ask(std::string method, std::string path, std::string body, Headers headers,
                                     std::string_view key);
  // Asks anybody.
  Co<Result<http::SimpleAnswer>> ask_at(std::string url, std::string method, std::string body, Headers headers);

  Co<void> sleep(milliseconds time) { return sleep_until(process, process.now() + time); }

 private:
  std::unique_ptr<Net> net_;
  std::unique_ptr<Resolver> resolver_;
  http::SimpleClient client_;
};

// A member of the object that an answer brings, as text.
std::optional<std::string> text_in(const http::SimpleAnswer& answer, std::string_view member);

struct Stage {
  Ground& ground;
  Witness& witness;
  ServerNode& server;

  std::uint64_t last_event = 0;
  std::uint64_t last_submission = 0;
  bool faults_over = false;  // the first phase has ended: no new events but probes
};

}  // namespace semel::sim
