// outcome_test.cc: what goes between processes arrives as it was.
#include "sim/run/outcome.h"

#include <gtest/gtest.h>

#include "base/check.h"

namespace semel::sim {
namespace {

using std::chrono::seconds;

WorldResult full_result() {
  return {.violation = Violation{.checker = "I-PARK", .text = "two\nlines", .at = MonotonicTime{77}},
          .hash = 0xFEDC'BA98'7654'3210,
          .simulated_ms = 3'600'001,
          .busy_hours = 2,
          .crashes = 3,
          .recoveries = 4,
          .steps = 5,
          .events = 6,
          .struck = {{FaultClass::cut, 9}, {FaultClass::dns, 1}},
          .chart = "|-->|"};
}

void expect_full(const WorldResult& result) {
  ASSERT_TRUE(result.violation);
  EXPECT_EQ(result.violation->checker, "I-PARK");
  EXPECT_EQ(result.violation->text, "two\nlines");
  EXPECT_EQ(result.violation->at, MonotonicTime{77});
  EXPECT_EQ(result.hash, 0xFEDC'BA98'7654'3210u);
  EXPECT_EQ(result.simulated_ms, 3'600'001);
  EXPECT_EQ(result.busy_hours, 2u);
  EXPECT_EQ(result.crashes, 3u);
  EXPECT_EQ(result.recoveries, 4u);
  EXPECT_EQ(result.steps, 5u);
  EXPECT_EQ(result.events, 6u);
  ASSERT_EQ(result.struck.size(), 2u);
  EXPECT_EQ(result.struck[0].fault, FaultClass::cut);
  EXPECT_EQ(result.struck[0].number, 9u);
  EXPECT_EQ(result.chart, "|-->|");
}

TEST(WorldOrder, comes_to_the_worker_as_it_was_given_and_its_end_comes_back) {
  Options options = draw_options(11, StoreKind::disk);
  options.mask = {.classes = {FaultClass::drip},
                  .single = {{FaultClass::cut, 3}},
                  .only = FaultMask::Singles{{FaultClass::tls, 5}}};
  Workers workers({}, [&](const std::string& order) {
    return run_ordered_world(order, [&](const WorldOrder& came, const Watching&) {
      SEMEL_CHECK(describe(came.options) == describe(options));
      SEMEL_CHECK(came.options.rates == options.rates && came.options.order == options.order);
      SEMEL_CHECK(came.planted == Planted::new_id_per_retry);
      return full_result();
    });
  });
  bool is_there = false;
  int left = 1;
  workers.run([&]() -> std::optional<Job> {
    if (left-- == 0) return std::nullopt;
    return world_job({.options = options, .planted = Planted::new_id_per_retry}, [&](const Outcome& outcome) {
      is_there = true;
      expect_full(outcome.result);
    });
  });
  EXPECT_TRUE(is_there);
}

TEST(WorldOrder, a_child_that_lives_gives_its_result) {
  const WorldOrder order{.options = draw_options(1, StoreKind::memory), .planted = std::nullopt};
  expect_full(run_in_a_child(order, {.cpu = seconds(10)}, {}, [](const WorldOrder&, const Watching& watching) {
                watching.struck({FaultClass::tls, 1});
                return full_result();
              }).result);
}

TEST(WorldOrder, of_a_child_that_dies_the_faults_before_are_known) {
  const WorldOrder order{.options = draw_options(1, StoreKind::memory), .planted = std::nullopt};
  const Outcome outcome =
      run_in_a_child(order, {.cpu = seconds(10)}, {}, [](const WorldOrder&, const Watching& watching) -> WorldResult {
        watching.struck({FaultClass::tls, 1});
        watching.struck({FaultClass::cut, 2});
        std::abort();
      });
  ASSERT_TRUE(outcome.result.violation);
  EXPECT_EQ(outcome.result.violation->checker, kDied);
  ASSERT_EQ(outcome.result.struck.size(), 2u);
  EXPECT_EQ(outcome.result.struck[1].fault, FaultClass::cut);
  EXPECT_EQ(outcome.result.struck[1].number, 2u);
}

}  // namespace
}  // namespace semel::sim
