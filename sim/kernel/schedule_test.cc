// schedule_test.cc: virtual time, the orders, and what a dropped source leaves behind.
#include "sim/kernel/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "sim/kernel/process.h"

namespace semel::sim {
namespace {

constexpr MonotonicTime at_ms(std::int64_t ms) { return {ms * 1'000'000}; }
constexpr MonotonicTime kEnd = at_ms(1'000'000);

struct Run {
  std::string order;
  std::uint64_t hash;
};
// Two sources, four tasks each, all ready at once.
Run run(std::uint64_t seed, Order order) {
  Trace trace;
  Schedule schedule(Draw(seed, "test"), order, trace);
  std::string ran;
  const SourceId sources[] = {schedule.new_source(), schedule.new_source()};
  for (int i = 0; i < 4; ++i)
    for (int s = 0; s < 2; ++s)
      schedule.soon(sources[s], [&ran, i, s] { ran += static_cast<char>((s ? 'a' : 'A') + i); });
  while (schedule.step(kEnd)) {
  }
  return {ran, trace.hash()};
}

TEST(Schedule, fifo_runs_in_the_order_of_asking) { EXPECT_EQ(run(1, Order::fifo).order, "AaBbCcDd"); }

TEST(Schedule, other_orders_permute_and_the_same_seed_permutes_the_same_way) {
  for (const Order order : {Order::fifo_per_source, Order::random, Order::priority, Order::starvation}) {
    std::set<std::string> seen;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      seen.insert(run(seed, order).order);
      EXPECT_EQ(run(seed, order).hash, run(seed, order).hash);
    }
    EXPECT_GT(seen.size(), 1u) << name_of(order);
  }
}

TEST(Schedule, fifo_per_source_keeps_each_sources_own_order) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::string upper, lower;
    for (const char c : run(seed, Order::fifo_per_source).order) (c < 'a' ? upper : lower) += c;
    EXPECT_EQ(upper + lower, "ABCDabcd");
  }
}

TEST(Schedule, time_in_which_nothing_is_due_is_skipped) {
  Trace trace;
  Schedule schedule(Draw(1, "test"), Order::fifo, trace);
  const SourceId source = schedule.new_source();
  MonotonicTime ran;
  schedule.at(source, at_ms(75 * 3'600'000), [&] { ran = schedule.now(); });
  EXPECT_TRUE(schedule.step(at_ms(100 * 3'600'000)));
  EXPECT_EQ(ran, at_ms(75 * 3'600'000));
  EXPECT_EQ(schedule.steps(), 1u);
  EXPECT_FALSE(schedule.step(at_ms(100 * 3'600'000)));
  EXPECT_EQ(schedule.now(), at_ms(100 * 3'600'000));
}

TEST(Schedule, a_dropped_source_runs_nothing_and_its_closures_are_destroyed) {
  Trace trace;
  Schedule schedule(Draw(1, "test"), Order::random, trace);
  const SourceId source = schedule.new_source();
  auto held = std::make_shared<int>(0);
  schedule.soon(source, [held] { ++*held; });
  schedule.at(source, at_ms(5), [held] { ++*held; });
  schedule.drop(source);
  EXPECT_EQ(held.use_count(), 1);
  schedule.soon(source, [held] { ++*held; });
  EXPECT_FALSE(schedule.step(kEnd));
  EXPECT_EQ(*held, 0);
}

TEST(Schedule, a_stalled_source_runs_when_the_stall_is_over) {
  Trace trace;
  Schedule schedule(Draw(1, "test"), Order::fifo, trace);
  const SourceId source = schedule.new_source();
  MonotonicTime ran;
  schedule.stall(source, at_ms(10));
  schedule.soon(source, [&] { ran = schedule.now(); });
  schedule.step(kEnd);
  EXPECT_EQ(ran, at_ms(10));
}

TEST(Process, blocking_work_runs_in_order_on_its_lane_and_a_killed_process_hears_of_nothing) {
  Trace trace;
  Schedule schedule(Draw(1, "test"), Order::random, trace);
  const WallClock wall{.at_start = {1'796'025'600'000}};
  std::string ran;
  Process process("server", schedule, wall);
  for (const char c : {'a', 'b', 'c'})
    process.start_blocking(Lane::writer, [&ran, c] { ran += c; }, [&ran] { ran += '.'; });
  schedule.step(kEnd);
  EXPECT_EQ(ran, "a");
  process.kill();
  EXPECT_EQ(ran, "abc");
  EXPECT_FALSE(schedule.step(kEnd));
  EXPECT_EQ(ran, "abc");
}

TEST(Process, one_lanes_work_can_be_run_inside_anothers) {
  Trace trace;
  Schedule schedule(Draw(1, "test"), Order::fifo, trace);
  const WallClock wall{.at_start = {1'796'025'600'000}};
  std::string ran;
  Process process("server", schedule, wall);
  process.start_blocking(
      Lane::checkpoint,
      [&] {
        ran += '(';
        EXPECT_FALSE(process.run_one(Lane::checkpoint));
        EXPECT_TRUE(process.run_one(Lane::writer));
        ran += ')';
      },
      [] {});
  process.start_blocking(Lane::writer, [&ran] { ran += 'w'; }, [] {});
  while (schedule.step(kEnd)) {
  }
  EXPECT_EQ(ran, "(w)");
}

}  // namespace
}  // namespace semel::sim
