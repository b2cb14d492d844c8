// hostile_node.h: a receiver that means harm, until it reforms.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "http/server.h"
#include "sim/net/hostile.h"
#include "sim/world/ground.h"

namespace semel::sim {

class HostileNode {
 public:
  HostileNode(Ground& ground, std::uint32_t number);
  ~HostileNode();

  void start();
  // A process that answers 200 to everything takes its place.
  void reform();

  std::uint32_t number() const { return number_; }
  const std::string& name() const { return name_; }

 private:
  void stop();

  Ground& ground_;
  std::uint32_t number_;
  std::string name_;
  Draw draw_;
  std::unique_ptr<Process> process_;
  std::unique_ptr<Net> net_;
  std::unique_ptr<HostileReceiver> hostile_;
  std::unique_ptr<http::Server> tame_;
};

}  // namespace semel::sim
