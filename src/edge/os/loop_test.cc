// loop_test.cc: turns, time and stopping of the real loop.
#include "edge/os/loop.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "edge/os/test_loop.h"
#include "port/scope.h"

namespace semel {
namespace {

using std::chrono::milliseconds;

TEST(Loop, posted_functions_run_in_order_and_never_inside_post) {
  TestLoop t;
  std::vector<int> ran;
  t.loop.post([&] {
    ran.push_back(1);
    t.loop.post([&] {
      ran.push_back(3);
      t.loop.stop();
    });
    ran.push_back(2);
  });
  EXPECT_TRUE(ran.empty());
  ASSERT_TRUE(t.run());
  EXPECT_EQ(ran, (std::vector{1, 2, 3}));
}

TEST(Loop, functions_posted_by_other_threads_all_run_on_the_thread_of_run) {
  TestLoop t;
  constexpr int kThreads = 4, kEach = 2000;
  const auto here = std::this_thread::get_id();
  int ran = 0, elsewhere = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < kEach; ++k) {
        t.loop.post([&] {
          if (std::this_thread::get_id() != here) ++elsewhere;
          if (++ran == kThreads * kEach) t.loop.stop();
        });
      }
    });
  }
  EXPECT_TRUE(t.run());
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(ran, 8000);
  EXPECT_EQ(elsewhere, 0);
}

TEST(Loop, stop_lets_the_running_function_end_and_keeps_the_others_for_the_next_run) {
  TestLoop t;
  std::vector<int> ran;
  t.loop.post([&] {
    t.loop.stop();
    ran.push_back(1);
  });
  t.loop.post([&] {
    ran.push_back(2);
    t.loop.stop();
  });
  ASSERT_TRUE(t.run());
  EXPECT_EQ(ran, (std::vector{1}));
  ASSERT_TRUE(t.run());
  EXPECT_EQ(ran, (std::vector{1, 2}));
}

TEST(Loop, stop_from_another_thread_ends_a_loop_that_waits) {
  TestLoop t;
  std::thread other([&] { t.loop.stop(); });
  EXPECT_TRUE(t.run());
  other.join();
}

TEST(Loop, functions_that_never_ran_are_destroyed_with_the_loop) {
  const auto held = std::make_shared<int>(0);
  {
    Loop loop;
    loop.post([held] { ++*held; });
    loop.start_timer(loop.now() + milliseconds(1), [held] { ++*held; });
  }
  EXPECT_EQ(*held, 0);
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Loop, a_timer_fires_at_its_moment_and_never_before) {
  TestLoop t;
  const MonotonicTime at = t.loop.now() + milliseconds(5);
  MonotonicTime fired;
  t.loop.start_timer(at, [&] {
    fired = t.loop.now();
    t.loop.stop();
  });
  ASSERT_TRUE(t.run());
  EXPECT_GE(fired, at);
}

TEST(Loop, an_earlier_timer_started_later_fires_first) {
  TestLoop t;
  std::vector<int> fired;
  const MonotonicTime start = t.loop.now();
  t.loop.start_timer(start + milliseconds(20), [&] {
    fired.push_back(20);
    t.loop.stop();
  });
  t.loop.start_timer(start + milliseconds(5), [&] { fired.push_back(5); });
  t.loop.start_timer(start - milliseconds(1), [&] { fired.push_back(-1); });
  EXPECT_TRUE(fired.empty());
  ASSERT_TRUE(t.run());
  EXPECT_EQ(fired, (std::vector{-1, 5, 20}));
}

TEST(Loop, a_timer_stopped_by_one_of_the_same_moment_does_not_fire) {
  TestLoop t;
  bool fired = false;
  const MonotonicTime at = t.loop.now() + milliseconds(2);
  TimerId second{};
  t.loop.start_timer(at, [&] { t.loop.stop_timer(second); });
  second = t.loop.start_timer(at, [&] { fired = true; });
  t.loop.start_timer(at + milliseconds(2), [&] { t.loop.stop(); });
  ASSERT_TRUE(t.run());
  EXPECT_FALSE(fired);
}

TEST(Loop, a_timer_that_restarts_itself_in_the_past_does_not_keep_others_from_their_turn) {
  TestLoop t;
  std::move_only_function<void()> again = [&] { t.loop.start_timer(t.loop.now(), [&] { again(); }); };
  again();
  bool other_ran = false;
  t.loop.start_timer(t.loop.now() + milliseconds(2), [&] {
    t.loop.post([&] {
      other_ran = true;
      t.loop.stop();
    });
  });
  ASSERT_TRUE(t.run());
  EXPECT_TRUE(other_ran);
}

TEST(Loop, a_coroutine_sleeps_and_is_woken_early_by_its_cancel) {
  TestLoop t;
  Cancel cancel;
  bool woke = false;
  const auto sleeper = [&]() -> Co<void> {
    co_await sleep_until(t.loop, t.loop.now() + std::chrono::hours(1), cancel);
    woke = true;
    t.loop.stop();
  };
  Scope scope;
  scope.spawn(sleeper());
  t.loop.post([&] { cancel.request(); });
  ASSERT_TRUE(t.run());
  EXPECT_TRUE(woke);
}

TEST(Loop, inline_completion_is_denied_at_regular_intervals) {
  Loop loop;
  int allowed_in_a_row = 0;
  while (loop.may_complete_inline()) ++allowed_in_a_row;
  EXPECT_EQ(allowed_in_a_row, 31);
  EXPECT_TRUE(loop.may_complete_inline());
}

TEST(Loop, the_wall_clock_is_in_milliseconds_since_1970) {
  Loop loop;
  EXPECT_GT(loop.wall().ms, 1'700'000'000'000);
  EXPECT_LT(loop.wall().ms, 4'102'444'800'000);
}

}  // namespace
}  // namespace semel
