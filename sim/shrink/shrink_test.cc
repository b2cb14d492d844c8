// shrink_test.cc: what is left of a world whose failure needs two faults, seven events and transfers.
#include "sim/shrink/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace semel::sim {
namespace {

// Every class that is in the world strikes at its first hundred occasions.
std::vector<Struck> strikes_of(const Options& options) {
  std::vector<Struck> struck;
  for (int i = 0; i < kFaultClasses; ++i) {
    const auto fault = static_cast<FaultClass>(i);
    if (options.rates[static_cast<std::size_t>(i)].parts == 0 || options.mask.classes.contains(fault)) continue;
    for (std::uint64_t number = 1; number <= 100; ++number)
      if (!options.mask.leaves_out(fault, number)) struck.push_back({fault, number});
  }
  return struck;
}

bool has(const std::vector<Struck>& struck, FaultClass fault, std::uint64_t number) {
  return std::ranges::any_of(struck, [&](const Struck& s) { return s.fault == fault && s.number == number; });
}

Tried needs_two_faults_seven_events_and_transfers(const Options& options) {
  Tried tried{.violation = std::nullopt, .struck = strikes_of(options), .events = options.events};
  const bool both = has(tried.struck, FaultClass::cut, 3) && has(tried.struck, FaultClass::dns, 17);
  if (both && options.events >= 7 && options.transfers)
    tried.violation = {.checker = "I-CONSERVE", .text = "the sum is 3", .at = {}};
  else if (both)
    tried.violation = {.checker = "I-PARK", .text = "another cause", .at = {}};
  return tried;
}

Options large_world() {
  Options options = draw_options(1, StoreKind::memory);
  for (PerMillion& rate : options.rates) rate = percent(10);
  for (const Flag& flag : flags()) options.*flag.member = true;
  options.honest = 3, options.hostile = 2, options.producers = 3, options.keys = 6, options.events = 80;
  options.duration = std::chrono::hours(5);
  options.crash_every = std::chrono::hours(1);
  options.order = Order::starvation;
  return options;
}

constexpr auto kNeverUp = [] { return false; };

TEST(Shrink, leaves_of_a_large_world_what_its_failure_needs) {
  const Shrunk shrunk = shrink(large_world(), needs_two_faults_seven_events_and_transfers, kNeverUp);
  ASSERT_TRUE(shrunk.tried.violation);
  EXPECT_EQ(shrunk.tried.violation->checker, "I-CONSERVE");
  EXPECT_EQ(shrunk.options.mask.only, (FaultMask::Singles{{FaultClass::cut, 3}, {FaultClass::dns, 17}}));
  EXPECT_EQ(shrunk.tried.struck.size(), 2u);
  EXPECT_EQ(shrunk.options.events, 7u);
  EXPECT_EQ(shrunk.options.honest, 1u);
  EXPECT_EQ(shrunk.options.hostile, 0u);
  EXPECT_EQ(shrunk.options.producers, 1u);
  EXPECT_EQ(shrunk.options.keys, 1u);
  EXPECT_EQ(shrunk.options.duration, std::chrono::seconds(1));
  EXPECT_EQ(shrunk.options.order, Order::fifo);
  for (const Flag& flag : flags())
    EXPECT_EQ(shrunk.options.*flag.member, flag.member == &Options::transfers) << flag.name;
  EXPECT_LT(shrunk.worlds, 200);
}

TEST(Shrink, a_world_that_needs_no_fault_is_left_with_none) {
  const auto needs_an_event = [](const Options& options) {
    Tried tried{.violation = std::nullopt, .struck = strikes_of(options), .events = options.events};
    tried.violation = {.checker = "I-PARK", .text = "", .at = {}};
    return tried;
  };
  const Shrunk shrunk = shrink(large_world(), needs_an_event, kNeverUp);
  EXPECT_TRUE(shrunk.tried.struck.empty());
  EXPECT_EQ(shrunk.options.events, 1u);
}

TEST(Shrink, a_small_world_at_another_seed_will_do) {
  const auto needs_a_seed_of_three = [](const Options& options) {
    Tried tried{.violation = std::nullopt, .struck = strikes_of(options), .events = options.events};
    if (options.events == 80 || options.seed % 3 == 0) tried.violation = {.checker = "I-PARK", .text = "", .at = {}};
    return tried;
  };
  const Shrunk shrunk = shrink(large_world(), needs_a_seed_of_three, kNeverUp);
  EXPECT_EQ(shrunk.options.seed, 3u);
  EXPECT_EQ(shrunk.options.events, 1u);
}

TEST(Shrink, a_world_that_does_not_fail_is_run_once) {
  const auto passes = [](const Options&) { return Tried{}; };
  const Shrunk shrunk = shrink(large_world(), passes, kNeverUp);
  EXPECT_FALSE(shrunk.tried.violation);
  EXPECT_EQ(shrunk.worlds, 1);
}

TEST(Shrink, when_the_time_is_up_the_smallest_so_far_is_the_answer) {
  int asked = 0;
  const Shrunk shrunk =
      shrink(large_world(), needs_two_faults_seven_events_and_transfers, [&] { return ++asked > 90; });
  EXPECT_LE(shrunk.worlds, 91);
  ASSERT_TRUE(shrunk.tried.violation);
  EXPECT_EQ(shrunk.tried.violation->checker, "I-CONSERVE");
  EXPECT_LT(shrunk.tried.struck.size(), strikes_of(large_world()).size());
}

}  // namespace
}  // namespace semel::sim
