// recoveries_test.cc: the store keeps its promises through crashes, and the harness sees it when it does not.
#include "sim/disk/recoveries.h"

#include <gtest/gtest.h>

#include "sim/kernel/testing/elsewhere.h"

namespace semel::sim {
namespace {

TEST(Recoveries, nothing_acknowledged_is_lost_and_nothing_is_half_there) {
  const RecoveryReport report = run_recoveries(1, 300, sqlite::Synchronous::full);
  EXPECT_GE(report.recoveries, 300u);
  EXPECT_EQ(report.lost, 0u) << report.first_breach;
  EXPECT_EQ(report.holes, 0u) << report.first_breach;
  EXPECT_EQ(report.corrupt, 0u) << report.first_breach;
  EXPECT_EQ(report.fences_stood, 0u) << report.first_breach;
  EXPECT_EQ(report.wrong_answers, 0u) << report.first_breach;
  EXPECT_EQ(report.rules_broken, 0u) << report.first_breach;
  // And it has met what it is there for.
  EXPECT_GT(report.acknowledged, 300u);
  EXPECT_GT(report.doubtful_present, 20u);
  EXPECT_GT(report.doubtful - report.doubtful_present, 100u);
  EXPECT_GT(report.crashes_in_operations, 30u);
  EXPECT_GT(report.crashes_while_opening, 10u);
  EXPECT_GT(report.raced_checkpoints, 10u);
}

TEST(Recoveries, without_full_synchronisation_acknowledged_changes_are_lost_and_it_is_seen) {
  EXPECT_GT(run_recoveries(1, 100, sqlite::Synchronous::normal).lost, 0u);
}

TEST(Recoveries, a_seed_goes_the_same_way_again_and_in_another_process) {
  const auto hash = [](std::uint64_t seed) { return run_recoveries(seed, 40, sqlite::Synchronous::full).trace_hash; };
  const std::uint64_t here = hash(7);
  EXPECT_EQ(here, elsewhere([&] { return hash(7); }));
  EXPECT_EQ(here, hash(7));
  EXPECT_NE(here, hash(8));
}

}  // namespace
}  // namespace semel::sim
