// recoveries_test.cc: the store keeps its promises through crashes, and the harness sees it when it does not.
#include "sim/disk/recoveries.h"

#include <gtest/gtest.h>

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
}

TEST(Recoveries, without_full_synchronisation_acknowledged_changes_are_lost_and_it_is_seen) {
  EXPECT_GT(run_recoveries(1, 300, sqlite::Synchronous::normal).lost, 0u);
}

}  // namespace
}  // namespace semel::sim
