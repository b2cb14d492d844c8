// seeds_test.cc: which worlds are run, and what counts as a failure.
#include "sim/run/seeds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace semel::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

struct Ran {
  Totals totals;
  std::vector<std::string> printed;
};

Ran run(const std::vector<SeedToRun>& seeds, const RunWorld& run_world) {
  Ran ran;
  Workers workers({.workers = 2}, [&](const std::string& order) { return run_ordered_world(order, run_world); });
  auto next = seeds.begin();
  Seeds({.printed = {}, .print = [&](std::string_view text) { ran.printed.emplace_back(text); }}, ran.totals)
      .run(workers, [&]() -> std::optional<SeedToRun> {
        if (next == seeds.end()) return std::nullopt;
        return *next++;
      });
  return ran;
}

std::vector<SeedToRun> seeds_up_to(std::uint64_t last) {
  std::vector<SeedToRun> seeds;
  for (std::uint64_t seed = 1; seed <= last; ++seed)
    seeds.push_back({.options = draw_options(seed, StoreKind::memory), .planted = std::nullopt, .cause_kept = {}});
  return seeds;
}

WorldResult good_world(const WorldOrder& order, const Watching&) {
  return {.hash = order.options.seed, .simulated_ms = 1, .busy_hours = 1};
}

TEST(Seeds, that_pass_are_added_up_and_nothing_is_printed) {
  const Ran ran = run(seeds_up_to(100), good_world);
  EXPECT_EQ(ran.totals.seeds, 100u);
  EXPECT_EQ(ran.totals.failed, 0u);
  EXPECT_EQ(ran.totals.simulated_ms, 100);  // worlds that are run twice count once
  EXPECT_EQ(ran.totals.busy_hours, 100u);
  EXPECT_THAT(ran.printed, IsEmpty());
}

TEST(Seeds, a_violation_is_a_failure) {
  const Ran ran = run(seeds_up_to(10), [](const WorldOrder& order, const Watching& watching) {
    WorldResult result = good_world(order, watching);
    if (order.options.seed == 7) result.violation = {.checker = "I-PARK", .text = "gone", .at = {}};
    return result;
  });
  EXPECT_EQ(ran.totals.seeds, 10u);
  EXPECT_EQ(ran.totals.failed, 1u);
  EXPECT_THAT(ran.printed, ElementsAre(StartsWith("FAILED seed 7 on memory: I-PARK\n")));
}

TEST(Seeds, a_world_that_dies_is_a_failure_and_the_others_are_run) {
  const Ran ran = run(seeds_up_to(10), [](const WorldOrder& order, const Watching& watching) {
    if (order.options.seed == 4) std::abort();
    return good_world(order, watching);
  });
  EXPECT_EQ(ran.totals.seeds, 10u);
  EXPECT_EQ(ran.totals.simulated_ms, 9);
  EXPECT_THAT(ran.printed, ElementsAre(AllOf(StartsWith("FAILED seed 4"), HasSubstr("SIGABRT"))));
}

TEST(Seeds, one_in_fifty_is_run_twice_and_must_end_with_the_same_hash) {
  int worlds = 0;  // in this worker
  const Ran ran = run(seeds_up_to(100), [&](const WorldOrder& order, const Watching&) {
    return WorldResult{.hash = mix(order.options.seed, static_cast<std::uint64_t>(++worlds * getpid()))};
  });
  EXPECT_EQ(ran.totals.seeds, 100u);
  EXPECT_EQ(ran.totals.failed, 2u);
  EXPECT_THAT(ran.printed, UnorderedElementsAre(StartsWith("FAILED seed 50 on memory: I-DETERMINISM\n"),
                                                StartsWith("FAILED seed 100 on memory: I-DETERMINISM\n")));
}

TEST(Seeds, after_the_first_failures_each_has_one_line) {
  const Ran ran = run(seeds_up_to(8), [](const WorldOrder&, const Watching&) {
    WorldResult result;
    result.violation = {.checker = "I-PARK", .text = "gone", .at = {}};
    return result;
  });
  ASSERT_EQ(ran.printed.size(), 8u);
  EXPECT_THAT(ran.printed[4], HasSubstr("options"));
  EXPECT_EQ(std::ranges::count(ran.printed[5], '\n'), 1);
}

TEST(Seeds, a_kept_one_is_counted_apart_and_its_cause_is_told_when_it_fails_again) {
  std::vector<SeedToRun> kept = seeds_up_to(2);
  for (SeedToRun& seed : kept) seed.cause_kept = "a deletion was overwritten";
  const Ran ran = run(kept, [](const WorldOrder& order, const Watching& watching) {
    WorldResult result = good_world(order, watching);
    if (order.options.seed == 2) result.violation = {.checker = "I-PARK", .text = "gone", .at = {}};
    return result;
  });
  EXPECT_EQ(ran.totals.seeds, 0u);
  EXPECT_EQ(ran.totals.kept, 2u);
  EXPECT_THAT(ran.printed, ElementsAre(HasSubstr("a deletion was overwritten")));
}

TEST(SeedRange, gives_each_seed_of_both_stores_once_side_by_side) {
  SeedRange range(5, {.memory = 20, .disk = 2});
  std::vector<std::string> given;
  while (const std::optional<Options> options = range.next())
    given.push_back(std::string(name_of(options->store)) + std::to_string(options->seed));
  ASSERT_EQ(given.size(), 22u);
  EXPECT_EQ(given[0], "disk5");
  EXPECT_EQ(given[1], "memory5");
  EXPECT_EQ(given[11], "disk6");
  EXPECT_EQ(given[21], "memory24");
}

TEST(SeedRange, without_end_has_one_on_the_disk_for_ten_in_memory) {
  constexpr std::uint64_t kMany = std::numeric_limits<std::uint64_t>::max();
  SeedRange range(1, {.memory = kMany, .disk = kMany / 10});
  int disk = 0;
  for (int i = 0; i < 1'100; ++i) disk += range.next()->store == StoreKind::disk ? 1 : 0;
  EXPECT_EQ(disk, 100);
}

}  // namespace
}  // namespace semel::sim
