// take_down.h: how the process of a node dies.
#pragma once

#include <functional>
#include <string>

#include "sim/world/ground.h"
#include "sim/world/witness.h"

namespace semel::sim {

struct Dying {
  std::string name;
  IpAddress ip;
  std::string files;  // below this path
  Process& process;
};

// Disk and network are taken away, then `destroy` destroys everything of the process, then the disk forgets `loss`.
void take_down(Ground& ground, Witness& witness, const Dying& dying, SimDisk::Loss loss,
               const std::function<void()>& destroy);

}  // namespace semel::sim
