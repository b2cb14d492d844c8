// take_down.cc: in the order in which nothing of a dead process reaches anybody any more.
#include "sim/world/take_down.h"

namespace semel::sim {

void take_down(Ground& ground, Witness& witness, const Dying& dying, SimDisk::Loss loss,
               const std::function<void()>& destroy) {
  const bool power_fails = loss == SimDisk::Loss::unsynced;
  ground.trace.note(dying.name, [&] { return std::string(power_fails ? "power fails" : "dies"); });
  witness.chart.add(ground.schedule.now(), dying.name, "", power_fails ? "POWER FAILS" : "DIES");
  ground.disk.off(dying.files);
  dying.process.kill();
  ground.net.sever(dying.ip);
  destroy();
  ground.disk.power_cycle(dying.files, loss);
  witness.tell([&](Checker& checker) { checker.crashed(dying.name); });
}

}  // namespace semel::sim
