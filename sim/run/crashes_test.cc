// crashes_test.cc: shares add up, and a breach in any of them is not lost.
#include "sim/run/crashes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace semel::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(RecoveriesOnWorkers, add_up_to_as_many_as_asked_for) {
  const RecoveriesDone done =
      recover({.count = 1'700}, {.workers = 2}, [](std::uint64_t, std::uint64_t count, sqlite::Synchronous) {
        return RecoveryReport{.recoveries = count, .acknowledged = 10};
      });
  EXPECT_EQ(done.sum.recoveries, 1'700u);
  EXPECT_EQ(done.sum.acknowledged, 40u);  // 500, 500, 500 and 200
  EXPECT_TRUE(done.kept_all_promises());
}

TEST(RecoveriesOnWorkers, a_breach_is_told_with_the_seed_of_its_share) {
  const RecoveriesDone done =
      recover({.first_seed = 10, .count = 1'500}, {}, [](std::uint64_t seed, std::uint64_t count, sqlite::Synchronous) {
        RecoveryReport report{.recoveries = count};
        if (seed == 11) report.lost = 2;
        if (seed == 11) report.first_breach = "disk 3: an event is gone";
        return report;
      });
  EXPECT_FALSE(done.kept_all_promises());
  EXPECT_EQ(done.sum.lost, 2u);
  EXPECT_THAT(as_table(done), HasSubstr("first breach, seed 11: disk 3: an event is gone\n"));
}

TEST(RecoveriesOnWorkers, the_death_of_a_process_is_a_breach) {
  const RecoveriesDone done =
      recover({.count = 1'000}, {}, [](std::uint64_t seed, std::uint64_t count, sqlite::Synchronous) {
        if (seed == 2) std::abort();
        return RecoveryReport{.recoveries = count};
      });
  EXPECT_EQ(done.sum.recoveries, 500u);
  EXPECT_THAT(done.deaths, ElementsAre(StartsWith("seed 2: ended by SIGABRT")));
  EXPECT_FALSE(done.kept_all_promises());
}

TEST(RecoveriesOnWorkers, are_run_as_synchronous_as_asked_for) {
  const RecoveriesDone done = recover({.count = 1, .synchronous = sqlite::Synchronous::normal}, {},
                                      [](std::uint64_t, std::uint64_t, sqlite::Synchronous synchronous) {
                                        return RecoveryReport{.lost = synchronous == sqlite::Synchronous::normal};
                                      });
  EXPECT_EQ(done.sum.lost, 1u);
}

}  // namespace
}  // namespace semel::sim
