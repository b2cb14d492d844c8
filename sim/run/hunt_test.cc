// hunt_test.cc: when a planted fault counts as caught.
#include "sim/run/hunt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace semel::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using testing::UnorderedElementsAre;

constexpr PlantedFault kAnywhere{.fault = Planted::new_id_per_retry,
                                 .name = "new_id_per_retry",
                                 .breaks = "each retry has its own id",
                                 .store = StoreNeeded::any,
                                 .invariant = "I-STABLE-ID"};
constexpr PlantedFault kOnDisk{.fault = Planted::synchronous_normal,
                               .name = "synchronous_normal",
                               .breaks = "commits are lost",
                               .store = StoreNeeded::sqlite,
                               .invariant = "I-ACK-DURABLE"};

struct Hunted {
  Totals totals;
  std::vector<std::string> printed;
};

Hunted hunt(std::span<const PlantedFault> faults, const RunWorld& run_world) {
  Hunted hunted;
  Workers workers({.workers = 2}, [&](const std::string& order) { return run_ordered_world(order, run_world); });
  Hunt(faults, {.seeds = 20, .print = [&](std::string_view text) { hunted.printed.emplace_back(text); }}, hunted.totals)
      .run(workers);
  return hunted;
}

WorldResult seen(bool by_a_checker) {
  WorldResult result;
  if (by_a_checker) result.violation = {.checker = "I-STABLE-ID", .text = "another id", .at = {}};
  return result;
}

TEST(Hunt, names_the_checker_and_the_first_seed_that_sees_the_fault) {
  const Hunted hunted = hunt({&kAnywhere, 1}, [](const WorldOrder& order, const Watching&) {
    return seen(order.planted == Planted::new_id_per_retry && order.options.seed >= 6);
  });
  EXPECT_THAT(hunted.printed,
              ElementsAre("new_id_per_retry caught by I-STABLE-ID at seed 6 on memory after 6 seeds\n"));
  EXPECT_EQ(hunted.totals.planted, 1u);
  EXPECT_EQ(hunted.totals.planted_caught, 1u);
}

TEST(Hunt, goes_on_to_the_disk_where_the_memory_shows_nothing_and_begins_there_where_the_fault_is) {
  const std::array faults{kAnywhere, kOnDisk};
  const Hunted hunted = hunt(faults, [](const WorldOrder& order, const Watching&) {
    return seen(order.planted && order.options.store == StoreKind::disk && order.options.seed == 3);
  });
  EXPECT_THAT(hunted.printed,
              UnorderedElementsAre("new_id_per_retry caught by I-STABLE-ID at seed 3 on disk after 23 seeds\n",
                                   "synchronous_normal caught by I-STABLE-ID at seed 3 on disk after 3 seeds\n"));
}

TEST(Hunt, a_seed_that_fails_without_the_fault_too_is_passed_over) {
  const Hunted hunted = hunt({&kAnywhere, 1}, [](const WorldOrder& order, const Watching&) {
    return seen(order.options.seed == 2 || (order.planted && order.options.seed == 5));
  });
  EXPECT_THAT(hunted.printed,
              ElementsAre(StartsWith("seed 2 on memory fails without a planted fault"),
                          "new_id_per_retry caught by I-STABLE-ID at seed 5 on memory after 5 seeds\n"));
}

TEST(Hunt, what_nobody_sees_is_told_with_what_was_expected) {
  const Hunted hunted = hunt({&kAnywhere, 1}, [](const WorldOrder&, const Watching&) { return seen(false); });
  EXPECT_THAT(hunted.printed,
              ElementsAre(AllOf(StartsWith("new_id_per_retry NOT CAUGHT in 40 seeds"), HasSubstr("I-STABLE-ID"))));
  EXPECT_EQ(hunted.totals.planted, 1u);
  EXPECT_EQ(hunted.totals.planted_caught, 0u);
}

TEST(Hunt, the_death_of_the_process_is_a_catch) {
  const Hunted hunted = hunt({&kAnywhere, 1}, [](const WorldOrder& order, const Watching&) {
    if (order.planted && order.options.seed == 2) std::abort();
    return seen(false);
  });
  EXPECT_THAT(hunted.printed, ElementsAre(HasSubstr("caught by I-NO-DEATH at seed 2 on memory after 2 seeds")));
}

}  // namespace
}  // namespace semel::sim
