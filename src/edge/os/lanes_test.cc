// lanes_test.cc: order within a lane, independence between lanes, and the end of both.
#include "edge/os/lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <latch>
#include <thread>
#include <vector>

#include "edge/os/test_loop.h"

namespace semel {
namespace {

TEST(ThreadLanes, work_of_one_lane_runs_in_order_on_another_thread_and_done_on_the_loop) {
  TestLoop t;
  ThreadLanes lanes(t.loop);
  const auto here = std::this_thread::get_id();
  std::vector<int> worked, done;
  int work_here = 0, done_elsewhere = 0;
  for (int i = 0; i < 100; ++i) {
    lanes.start_blocking(
        Lane::writer,
        [&, i] {
          worked.push_back(i);
          if (std::this_thread::get_id() == here) ++work_here;
        },
        [&, i] {
          done.push_back(i);
          if (std::this_thread::get_id() != here) ++done_elsewhere;
          if (i == 99) t.loop.stop();
        });
  }
  ASSERT_TRUE(t.run());
  ASSERT_EQ(worked.size(), 100u);
  EXPECT_EQ(worked, done);
  EXPECT_TRUE(std::ranges::is_sorted(worked));
  EXPECT_EQ(work_here, 0);
  EXPECT_EQ(done_elsewhere, 0);
}

TEST(ThreadLanes, lanes_do_not_wait_for_each_other) {
  TestLoop t;
  std::latch release(1);
  ThreadLanes lanes(t.loop);
  std::vector<int> done;
  lanes.start_blocking(
      Lane::writer, [&] { release.wait(); },
      [&] {
        done.push_back(1);
        t.loop.stop();
      });
  lanes.start_blocking(
      Lane::reader, [] {},
      [&] {
        done.push_back(2);
        release.count_down();
      });
  EXPECT_TRUE(t.run());
  EXPECT_EQ(done, (std::vector{2, 1}));
}

TEST(ThreadLanes, ending_the_lanes_finishes_what_was_queued) {
  TestLoop t;
  int worked = 0;
  {
    ThreadLanes lanes(t.loop);
    for (int i = 0; i < 50; ++i) lanes.start_blocking(Lane::inbox, [&] { ++worked; }, [] {});
  }
  EXPECT_EQ(worked, 50);
}

}  // namespace
}  // namespace semel
