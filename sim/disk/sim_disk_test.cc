// sim_disk_test.cc: the disk under SQLite itself and under the store.
#include "sim/disk/sim_disk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <optional>
#include <string>
#include <vector>

#include "core/intake/item_of.h"
#include "edge/sqlite/test_store.h"

namespace semel::sim {
namespace {

constexpr TenantKey kTenant{1};

store::Intake intake_of(const std::string& id) {
  store::Intake intake{.tenant = kTenant, .client = "shop", .items = {}, .batch_key = {}};
  intake.items.push_back(intake::item_of(R"({"type":"a.b","data":"x","id":")" + id + R"(","ordering_key":"k"})"));
  return intake;
}

bool is_committed(const store::CommitAnswer& answer) { return std::holds_alternative<store::Committed>(answer); }

TEST(StoreOnSimDisk, what_was_acknowledged_is_there_after_the_power_failed) {
  sqlite::TempFolder folder;
  Faults faults(1, {}, {});
  Trace trace;
  SimDisk disk({.name = "sim", .crash_wanted = {}, .between_checkpoint_steps = {}}, Draw(1, "disk"), faults, trace);
  for (int turn = 0; turn < 20; ++turn) {
    {
      sqlite::TestStore store({.path = folder.file("semel.db"), .vfs = disk.vfs()});
      for (int i = 0; i < turn; ++i)
        EXPECT_TRUE(
            store.read([&](store::StoreReader& reader) { return reader.event(kTenant, {"e" + std::to_string(i)}); })
                .value()
                .has_value())
            << turn << ": " << i;
      EXPECT_TRUE(is_committed(store.commit(intake_of("e" + std::to_string(turn)))));
      disk.off(folder.file(""));
    }
    disk.power_cycle(folder.file(""), SimDisk::Loss::unsynced);
  }
}

}  // namespace
}  // namespace semel::sim
