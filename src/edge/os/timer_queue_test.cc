// timer_queue_test.cc: order, stopping and reuse of timers, at hand-made moments.
#include "edge/os/timer_queue.h"

#include <gtest/gtest.h>

#include <vector>

namespace semel {
namespace {

struct Firing {
  TimerQueue queue;
  std::vector<int> fired;

  TimerId start(std::int64_t at_ns, int name) {
    return queue.start({at_ns}, [this, name] { fired.push_back(name); });
  }
  void fire(std::int64_t now_ns) {
    const auto mark = queue.mark();
    while (auto done = queue.take_due({now_ns}, mark)) done();
  }
};

TEST(TimerQueue, timers_fire_in_the_order_of_their_moments_whatever_the_order_of_starting) {
  Firing t;
  for (const int at : {50, 10, 40, 20, 30}) t.start(at, at);
  EXPECT_EQ(t.queue.earliest(), MonotonicTime{10});
  t.fire(40);
  EXPECT_EQ(t.fired, (std::vector{10, 20, 30, 40}));
  EXPECT_EQ(t.queue.earliest(), MonotonicTime{50});
}

TEST(TimerQueue, timers_of_one_moment_fire_in_the_order_they_were_started) {
  Firing t;
  for (const int name : {1, 2, 3, 4, 5}) t.start(7, name);
  t.fire(7);
  EXPECT_EQ(t.fired, (std::vector{1, 2, 3, 4, 5}));
}

TEST(TimerQueue, a_timer_is_not_due_before_its_moment) {
  Firing t;
  t.start(100, 1);
  t.fire(99);
  EXPECT_TRUE(t.fired.empty());
}

TEST(TimerQueue, a_stopped_timer_never_fires_and_the_others_do) {
  Firing t;
  t.start(10, 1);
  const TimerId second = t.start(20, 2);
  t.start(30, 3);
  t.queue.stop(second);
  t.queue.stop(second);
  t.fire(100);
  EXPECT_EQ(t.fired, (std::vector{1, 3}));
}

TEST(TimerQueue, an_id_of_the_past_does_not_stop_the_timer_that_took_its_place) {
  Firing t;
  const TimerId old = t.start(10, 1);
  t.queue.stop(old);
  t.start(20, 2);
  t.queue.stop(old);
  t.queue.stop(TimerId{});
  t.fire(100);
  EXPECT_EQ(t.fired, (std::vector{2}));
}

TEST(TimerQueue, a_timer_started_by_one_that_fires_waits_for_the_next_turn_even_when_it_is_due) {
  Firing t;
  t.queue.start({10}, [&] { t.start(5, 2); });
  t.fire(10);
  EXPECT_TRUE(t.fired.empty());
  t.fire(10);
  EXPECT_EQ(t.fired, (std::vector{2}));
}

TEST(TimerQueue, a_thousand_timers_of_which_two_thirds_are_stopped_fire_in_order) {
  Firing t;
  std::vector<TimerId> timers;
  for (int i = 0; i < 1000; ++i) timers.push_back(t.start(i * 7919 % 1000, i * 7919 % 1000));
  for (int i = 0; i < 1000; ++i) {
    if (i * 7919 % 1000 % 3 != 0) t.queue.stop(timers[static_cast<std::size_t>(i)]);
  }
  t.fire(1000);
  ASSERT_EQ(t.fired.size(), 334u);
  for (std::size_t i = 0; i < t.fired.size(); ++i) EXPECT_EQ(t.fired[i], static_cast<int>(3 * i));
  EXPECT_EQ(t.queue.size(), 0u);
}

}  // namespace
}  // namespace semel
