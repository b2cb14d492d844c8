// window_test.cc: how an endpoint's window shrinks, waits and recovers.
#include "core/admission/window.h"

#include <gtest/gtest.h>

#include <string>

namespace semel::admission {
namespace {

using std::chrono::seconds;

constexpr WallTime kNow{1'000'000};

std::string admission_of(Window& window, std::uint32_t in_flight, WallTime now) {
  const Window::Admission admission = window.admit(in_flight, now);
  if (const auto* defer = std::get_if<Window::Defer>(&admission))
    return "defer " + std::to_string(defer->until.ms - kNow.ms);
  return std::holds_alternative<Window::Full>(admission) ? "full" : "permit";
}

void answer_willingly(Window& window, int times) {
  for (int i = 0; i < times; ++i) window.answered_willing(window.generation());
}

TEST(Window, a_new_endpoint_has_its_whole_window) {
  Window window(16);
  EXPECT_EQ(admission_of(window, 15, kNow), "permit");
  EXPECT_EQ(admission_of(window, 16, kNow), "full");
}

TEST(Window, a_refusal_halves_it_once_for_all_attempts_started_before) {
  Window window(16);
  const std::uint64_t before = window.generation();
  EXPECT_FALSE(window.answered_throttled(before, kNow).has_value());
  EXPECT_EQ(window.size(), 8u);
  EXPECT_FALSE(window.answered_throttled(before, kNow).has_value());
  EXPECT_EQ(window.size(), 8u);
  EXPECT_FALSE(window.answered_throttled(window.generation(), kNow).has_value());
  EXPECT_EQ(window.size(), 4u);
}

TEST(Window, grows_by_one_per_full_window_of_willing_answers) {
  Window window(16);
  (void)window.answered_throttled(window.generation(), kNow);
  ASSERT_EQ(window.size(), 8u);
  answer_willingly(window, 7);
  EXPECT_EQ(window.size(), 8u);
  answer_willingly(window, 1);
  EXPECT_EQ(window.size(), 9u);
  answer_willingly(window, 9);
  EXPECT_EQ(window.size(), 10u);
}

TEST(Window, a_wait_that_passed_is_over_whatever_the_wall_says_but_not_a_longer_one) {
  Window window(16);
  (void)window.answered_wait(seconds(30), kNow);
  (void)window.answered_wait(seconds(40), kNow);
  window.wait_is_over(kNow + seconds(30));
  EXPECT_EQ(admission_of(window, 0, kNow), "defer 40000");
  window.wait_is_over(kNow + seconds(40));
  EXPECT_EQ(admission_of(window, 0, kNow), "permit");
}

TEST(Window, never_grows_over_its_maximum) {
  Window window(2);
  answer_willingly(window, 100);
  EXPECT_EQ(window.size(), 2u);
}

TEST(Window, refused_at_one_it_waits_one_second_doubling_to_sixty) {
  Window window(1);
  WallTime now = kNow;
  for (const int wait : {1, 2, 4, 8, 16, 32, 60, 60}) {
    const std::optional<Wait> begun = window.answered_throttled(window.generation(), now);
    ASSERT_TRUE(begun.has_value());
    EXPECT_EQ(begun->until - now, seconds(wait));
    EXPECT_EQ(begun->step, seconds(wait));
    now = begun->until;
    EXPECT_EQ(admission_of(window, 0, now - milliseconds(1)).substr(0, 5), "defer");
    EXPECT_EQ(admission_of(window, 0, now), "permit");
  }
}

TEST(Window, a_willing_answer_to_a_later_attempt_resets_the_wait) {
  Window window(1);
  (void)window.answered_throttled(window.generation(), kNow);
  (void)window.answered_throttled(window.generation(), kNow);
  answer_willingly(window, 1);
  EXPECT_EQ(window.answered_throttled(window.generation(), kNow)->step, seconds(1));
}

TEST(Window, a_willing_answer_to_an_attempt_from_before_the_refusal_changes_nothing) {
  Window window(4);
  const std::uint64_t before = window.generation();
  (void)window.answered_throttled(before, kNow);
  for (int i = 0; i < 10; ++i) window.answered_willing(before);
  EXPECT_EQ(window.size(), 2u);
}

TEST(Window, retry_after_makes_the_endpoint_wait_that_long_and_begin_at_one) {
  Window window(16);
  const std::optional<Wait> wait = window.answered_wait(seconds(30), kNow);
  EXPECT_EQ(wait->until, kNow + seconds(30));
  EXPECT_EQ(wait->step, milliseconds(0));
  EXPECT_EQ(admission_of(window, 0, kNow + milliseconds(29'999)), "defer 30000");
  EXPECT_EQ(admission_of(window, 0, kNow + seconds(30)), "permit");
  EXPECT_EQ(admission_of(window, 1, kNow + seconds(30)), "full");
}

TEST(Window, a_shorter_retry_after_does_not_shorten_a_wait) {
  Window window(16);
  (void)window.answered_wait(seconds(30), kNow);
  EXPECT_FALSE(window.answered_wait(seconds(10), kNow).has_value());
  EXPECT_EQ(admission_of(window, 0, kNow + seconds(11)), "defer 30000");
}

TEST(Window, after_a_wait_it_doubles_up_to_half_of_what_was_refused_then_adds_one) {
  Window window(16);
  (void)window.answered_wait(seconds(1), kNow);
  answer_willingly(window, 1);
  EXPECT_EQ(window.size(), 2u);
  answer_willingly(window, 2);
  EXPECT_EQ(window.size(), 4u);
  answer_willingly(window, 4);
  EXPECT_EQ(window.size(), 8u);
  answer_willingly(window, 8);
  EXPECT_EQ(window.size(), 9u);
}

TEST(Window, resumed_after_a_restart_begins_at_one_and_keeps_its_wait) {
  Window window = Window::resumed(16, Wait{kNow + seconds(4), seconds(4)});
  EXPECT_EQ(admission_of(window, 0, kNow), "defer 4000");
  EXPECT_EQ(admission_of(window, 0, kNow + seconds(4)), "permit");
  EXPECT_EQ(admission_of(window, 1, kNow + seconds(4)), "full");
  EXPECT_EQ(window.answered_throttled(window.generation(), kNow)->step, seconds(8));
}

}  // namespace
}  // namespace semel::admission
