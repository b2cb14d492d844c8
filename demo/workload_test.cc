// workload_test.cc: files become events without a byte of their value changed.
#include "workload.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/testing/temp_folder.h"
#include "kill_plan.h"

namespace semel::demo {
namespace {

TEST(Workload, a_file_becomes_an_event_whose_type_is_its_path_and_whose_data_are_its_bytes) {
  const TempFolder folder;
  std::filesystem::create_directories(folder.path() / "check run");
  std::ofstream(folder.path() / "check run" / "1.v2.json") << " \n{\"n\": 1.0,\t\"s\":\"\xC3\xB6\"}\r\n";
  std::ofstream(folder.path() / "notes.txt") << "not an event";
  const Result<std::vector<PlannedEvent>> events = files_of(folder.path());
  ASSERT_TRUE(events);
  ASSERT_EQ(events->size(), 1u);
  EXPECT_EQ(events->front().type, "check-run.1-v2");
  EXPECT_EQ(events->front().ordering_key, "check run");
  EXPECT_EQ(events->front().data, "{\"n\": 1.0,\t\"s\":\"\xC3\xB6\"}");
  EXPECT_EQ(submission_of(events->front()),
            "{\"type\":\"check-run.1-v2\",\"ordering_key\":\"check run\",\"data\":{\"n\": 1.0,\t\"s\":\"\xC3\xB6\"}}");
}

TEST(Workload, a_folder_without_events_is_refused) {
  const TempFolder folder;
  EXPECT_FALSE(files_of(folder.path()));
  EXPECT_FALSE(files_of(folder.path() / "absent"));
}

TEST(Workload, sha256_is_the_one_of_the_standard) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Workload, shipments_are_spread_over_their_ordering_keys_and_the_same_for_the_same_seed) {
  const std::vector<PlannedEvent> events = shipments(5, 2, 7);
  ASSERT_EQ(events.size(), 5u);
  EXPECT_EQ(events[0].ordering_key, "shipment-0000");
  EXPECT_EQ(events[1].ordering_key, "shipment-0001");
  EXPECT_EQ(events[4].ordering_key, "shipment-0000");
  EXPECT_EQ(events[0].type, "shipment.created");
  EXPECT_EQ(events[4].type, "shipment.in_transit");
  EXPECT_EQ(shipments(5, 2, 7)[3].data, events[3].data);
}

TEST(KillPlan, gives_both_processes_a_turn_and_stays_within_the_duration) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::vector<PlannedKill> plan = plan_kills(3, milliseconds(9'000), seed);
    ASSERT_EQ(plan.size(), 3u);
    bool server = false;
    bool receiver = false;
    for (std::size_t n = 0; n < plan.size(); ++n) {
      (plan[n].victim == Victim::server ? server : receiver) = true;
      EXPECT_LE(plan[n].at, milliseconds(9'000));
      if (n > 0) EXPECT_GT(plan[n].at, plan[n - 1].at);
    }
    EXPECT_TRUE(server && receiver) << seed;
  }
  EXPECT_TRUE(plan_kills(0, milliseconds(9'000), 1).empty());
}

}  // namespace
}  // namespace semel::demo
