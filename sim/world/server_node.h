// server_node.h: the one server of a world: its host, the process that runs there now, and what survives a crash.
//
// Each start goes through the real start-up path: the store is opened, everything is loaded, then it listens.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/assembly/server_parts.h"
#include "port/scope.h"
#include "sim/store/doubtful_store.h"
#include "sim/store/memory_store.h"
#include "sim/world/ground.h"
#include "sim/world/sealed.h"
#include "sim/world/witness.h"

namespace semel::sim {

class ServerNode {
 public:
  ServerNode(Ground& ground, Witness& witness);
  ~ServerNode();
  ServerNode(const ServerNode&) = delete;
  ServerNode& operator=(const ServerNode&) = delete;

  // A new incarnation; nothing runs there before.
  void start();
  // Destroys the process: never from inside one of its turns.
  void crash(SimDisk::Loss loss);
  // Asks for that once the current turn is over.
  void want_crash(SimDisk::Loss loss) { wanted_ = loss; }
  std::optional<SimDisk::Loss> take_wanted() { return std::exchange(wanted_, std::nullopt); }

  bool running() const { return running_ != nullptr; }
  bool up() const;  // it listens
  Process* process();
  WallClock& wall_clock() { return wall_; }
  const std::string& operator_key() const { return operator_key_; }

  // Stops in order, as on SIGTERM; `done` once nothing is under way.
  void stop(std::function<void()> done);

  // What the store says, in one snapshot; nullopt when it cannot be read.
  std::optional<Inspection> inspect(Inspection::When when);
  // Nothing of the process is left to do but to listen.
  std::size_t open_in_memory() const;

  std::uint32_t starts() const { return starts_; }

 private:
  struct Running;
  Co<void> bring_up(Running& running);
  Co<void> bring_down(Running& running, std::function<void()> done);
  Result<std::unique_ptr<store::Store>> open_store(Running& running);

  Ground& ground_;
  Witness& witness_;
  WallClock wall_{.at_start = kWorldBegins};
  SimSecrets secrets_;
  MemoryRows rows_;
  Late late_;
  egress::EgressRules egress_;
  std::string operator_key_;
  access::ApiKey operator_row_;
  std::unique_ptr<Running> running_;
  std::optional<SimDisk::Loss> wanted_;
  std::uint32_t starts_ = 0;
};

}  // namespace semel::sim
