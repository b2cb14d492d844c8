// line_up_test.cc: which delivery is next.
#include "engine/line_up.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace semel::engine {
namespace {

using std::chrono::seconds;

constexpr EndpointKey kShop{1};
constexpr EndpointKey kBank{2};
constexpr LineKey kOrder{100};

class LineUpTest : public testing::Test {
 protected:
  void add(std::int64_t key, EndpointKey endpoint, std::optional<Sequence> sequence = {},
           delivery::State state = delivery::Due{WallTime{0}}, LineKey line = kOrder) {
    store::Delivery delivery{.key = DeliveryKey{key},
                             .tenant = TenantKey{1},
                             .event = EventKey{key},
                             .endpoint = endpoint,
                             .line = sequence ? std::optional(line) : std::nullopt,
                             .sequence = sequence,
                             .after = sequence ? std::optional(*sequence - 1) : std::nullopt,
                             .version = Version{1},
                             .state = std::move(state),
                             .record = {}};
    line_up_.insert(std::move(delivery), nullptr, now_, wall_);
  }

  // Keys of everything that can be sent now, in order; all stays taken.
  std::vector<std::int64_t> take_all() {
    std::vector<std::int64_t> keys;
    while (Entry* entry = line_up_.next(now_, wall_)) keys.push_back(entry->delivery.key.value);
    return keys;
  }

  void end(std::int64_t key, delivery::State state) {
    Entry& entry = *line_up_.find(DeliveryKey{key});
    entry.delivery.state = std::move(state);
    line_up_.ended(entry, now_, wall_);
  }

  void pass(milliseconds time) {
    now_ = now_ + Nanoseconds(time);
    wall_ = wall_ + time;
  }

  using Keys = std::vector<std::int64_t>;
  LineUp line_up_;
  MonotonicTime now_{1'000'000'000};
  WallTime wall_{50'000};
};

TEST_F(LineUpTest, endpoints_take_turns) {
  line_up_.add_endpoint(kShop, endpoint::Ordering::none, admission::Window(16));
  line_up_.add_endpoint(kBank, endpoint::Ordering::none, admission::Window(16));
  for (const int key : {1, 2, 3}) add(key, kShop);
  for (const int key : {11, 12}) add(key, kBank);
  EXPECT_EQ(take_all(), (Keys{1, 11, 2, 12, 3}));
  EXPECT_EQ(line_up_.taken(), 5u);
  EXPECT_EQ(line_up_.sendable(), 0u);
}

TEST_F(LineUpTest, an_endpoint_with_a_full_window_delays_no_other) {
  line_up_.add_endpoint(kShop, endpoint::Ordering::none, admission::Window(1));
  line_up_.add_endpoint(kBank, endpoint::Ordering::none, admission::Window(16));
  for (const int key : {1, 2, 3}) add(key, kShop);
  for (const int key : {11, 12}) add(key, kBank);
  EXPECT_EQ(take_all(), (Keys{1, 11, 12}));
  end(1, delivery::Delivered{wall_});
  EXPECT_EQ(take_all(), (Keys{2}));
}

TEST_F(LineUpTest, what_is_due_later_waits_for_its_time) {
  line_up_.add_endpoint(kShop, endpoint::Ordering::none, admission::Window(16));
  add(1, kShop, {}, delivery::Due{wall_ + seconds(5)});
  EXPECT_EQ(take_all(), Keys{});
  EXPECT_EQ(line_up_.next_wake(), now_ + seconds(5));
  pass(milliseconds(4'999));
  EXPECT_EQ(take_all(), Keys{});
  pass(milliseconds(1));
  EXPECT_EQ(take_all(), (Keys{1}));
}

TEST_F(LineUpTest, per_key_sends_only_the_lowest_open_sequence_of_a_line) {
  line_up_.add_endpoint(kShop, endpoint::Ordering::per_key, admission::Window(16));
  add(1, kShop, 1);
  add(2, kShop, 2);
  add(3, kShop, 3);
  add(9, kShop, 1, delivery::Due{WallTime{0}}, LineKey{200});
  EXPECT_EQ(take_all(), (Keys{1, 9}));
  end(1, delivery::Due{wall_ + seconds(1)});
  EXPECT_EQ(take_all(), Keys{});
  pass(seconds(1));
  EXPECT_EQ(take_all(), (Keys{1}));
  end(1, delivery::Delivered{wall_});
  EXPECT_EQ(take_all(), (Keys{2}));
}

TEST_F(LineUpTest, none_sends_a_line_without_waiting) {
  line_up_.add_endpoint(kShop, endpoint::Ordering::none, admission::Window(16));
  add(1, kShop, 1);
  add(2, kShop, 2);
  EXPECT_EQ(take_all(), (Keys{1, 2}));
}

TEST_F(LineUpTest, a_dead_delivery_holds_its_line_and_no_other) {
  line_up_.add_endpoint(kShop, endpoint::Ordering::per_key, admission::Window(16));
  add(1, kShop, 1);
  add(2, kShop, 2);
  EXPECT_EQ(take_all(), (Keys{1}));
  end(1, delivery::Dead{wall_, "attempts_exhausted"});
  add(3, kShop, 3);
  add(9, kShop, 1, delivery::Due{WallTime{0}}, LineKey{200});
  EXPECT_EQ(take_all(), (Keys{9}));
}

TEST_F(LineUpTest, a_dead_delivery_loaded_at_start_holds_its_line) {
  line_up_.add_endpoint(kShop, endpoint::Ordering::per_key, admission::Window(16));
  add(1, kShop, 1, delivery::Dead{wall_, "attempts_exhausted"});
  add(2, kShop, 2);
  EXPECT_EQ(take_all(), Keys{});
}

TEST_F(LineUpTest, a_replayed_dead_delivery_goes_first_and_frees_its_line_when_delivered) {
  line_up_.add_endpoint(kShop, endpoint::Ordering::per_key, admission::Window(16));
  add(1, kShop, 1, delivery::Dead{wall_, "attempts_exhausted"});
  add(2, kShop, 2);
  ASSERT_TRUE(line_up_.take(*line_up_.find(DeliveryKey{1})));
  end(1, delivery::Due{wall_});
  EXPECT_EQ(take_all(), (Keys{1}));
  end(1, delivery::Delivered{wall_});
  EXPECT_EQ(take_all(), (Keys{2}));
}

TEST_F(LineUpTest, a_lower_sequence_that_opens_again_holds_back_the_one_that_was_ready) {
  line_up_.add_endpoint(kShop, endpoint::Ordering::per_key, admission::Window(16));
  add(2, kShop, 2);
  add(1, kShop, 1);
  EXPECT_EQ(line_up_.sendable(), 1u);
  EXPECT_EQ(take_all(), (Keys{1}));
}

TEST_F(LineUpTest, a_parked_delivery_is_asked_at_once_when_its_predecessor_closes) {
  line_up_.add_endpoint(kShop, endpoint::Ordering::none, admission::Window(16));
  add(1, kShop, 1);
  add(2, kShop, 2, delivery::Parked{wall_ + seconds(3600)});
  add(3, kShop, 3, delivery::Parked{wall_ + seconds(3600)});
  EXPECT_EQ(take_all(), (Keys{1}));
  end(1, delivery::Delivered{wall_});
  EXPECT_EQ(take_all(), (Keys{2}));  // 3 names 2, which is still open
}

TEST_F(LineUpTest, a_parked_answer_behind_a_predecessor_that_closed_meanwhile_is_asked_again_once_without_waiting) {
  line_up_.add_endpoint(kShop, endpoint::Ordering::none, admission::Window(16));
  add(1, kShop, 1);
  add(2, kShop, 2);
  EXPECT_EQ(take_all(), (Keys{1, 2}));
  end(1, delivery::Delivered{wall_});
  end(2, delivery::Parked{wall_ + seconds(30)});
  EXPECT_EQ(take_all(), (Keys{2}));
  end(2, delivery::Parked{wall_ + seconds(60)});
  EXPECT_EQ(take_all(), Keys{});
  EXPECT_EQ(line_up_.next_wake(), now_ + seconds(60));
}

TEST_F(LineUpTest, an_endpoint_that_waits_gets_its_turn_when_the_wait_is_over) {
  admission::Window window(16);
  (void)window.answered_wait(seconds(30), wall_);
  line_up_.add_endpoint(kShop, endpoint::Ordering::none, window);
  add(1, kShop);
  EXPECT_EQ(take_all(), Keys{});
  EXPECT_EQ(line_up_.next_wake(), now_ + seconds(30));
  pass(seconds(30));
  EXPECT_EQ(take_all(), (Keys{1}));
}

TEST_F(LineUpTest, what_waits_with_its_endpoint_is_not_sendable) {
  admission::Window window(16);
  (void)window.answered_wait(seconds(30), wall_);
  line_up_.add_endpoint(kShop, endpoint::Ordering::none, window);
  for (const int key : {1, 2}) add(key, kShop);
  EXPECT_EQ(take_all(), Keys{});
  EXPECT_EQ(line_up_.sendable(), 0u);
  add(3, kShop);
  EXPECT_EQ(line_up_.sendable(), 0u);
  ASSERT_TRUE(line_up_.take(*line_up_.find(DeliveryKey{3})));
  end(3, delivery::Cancelled{wall_, "cancelled"});
  pass(seconds(30));
  EXPECT_EQ(line_up_.next(now_, wall_)->delivery.key, DeliveryKey{1});
  EXPECT_EQ(line_up_.sendable(), 1u);
  line_up_.remove_endpoint(kShop);
  EXPECT_EQ(line_up_.sendable(), 0u);
}

TEST_F(LineUpTest, a_wall_clock_that_steps_back_prolongs_no_wait_of_an_endpoint) {
  admission::Window window(16);
  (void)window.answered_wait(seconds(30), wall_);
  line_up_.add_endpoint(kShop, endpoint::Ordering::none, window);
  add(1, kShop);
  EXPECT_EQ(take_all(), Keys{});
  pass(seconds(30));
  wall_ = wall_ - seconds(3'600);
  EXPECT_EQ(take_all(), (Keys{1}));
}

TEST_F(LineUpTest, a_removed_endpoint_takes_everything_with_it_but_what_is_in_flight) {
  line_up_.add_endpoint(kShop, endpoint::Ordering::per_key, admission::Window(16));
  add(1, kShop, 1);
  add(2, kShop, 2);
  EXPECT_EQ(take_all(), (Keys{1}));
  line_up_.remove_endpoint(kShop);
  EXPECT_EQ(line_up_.size(), 1u);
  EXPECT_TRUE(line_up_.find(DeliveryKey{1})->abandoned);
  end(1, delivery::Cancelled{wall_, "endpoint_deleted"});
  EXPECT_EQ(line_up_.size(), 0u);
  EXPECT_EQ(line_up_.taken(), 0u);
}

TEST_F(LineUpTest, what_is_put_back_waits_until_the_time_given) {
  line_up_.add_endpoint(kShop, endpoint::Ordering::none, admission::Window(16));
  add(1, kShop);
  Entry* entry = line_up_.next(now_, wall_);
  line_up_.put_back(*entry, now_ + seconds(1));
  EXPECT_EQ(take_all(), Keys{});
  pass(seconds(1));
  EXPECT_EQ(take_all(), (Keys{1}));
}

TEST_F(LineUpTest, what_is_put_back_behind_a_sequence_that_opened_meanwhile_waits_for_it) {
  line_up_.add_endpoint(kShop, endpoint::Ordering::per_key, admission::Window(16));
  add(2, kShop, 2);
  EXPECT_EQ(take_all(), (Keys{2}));
  add(1, kShop, 1);
  line_up_.put_back(*line_up_.find(DeliveryKey{2}), now_ + seconds(1));
  EXPECT_EQ(take_all(), (Keys{1}));
  pass(seconds(1));
  EXPECT_EQ(take_all(), Keys{});
  end(1, delivery::Delivered{wall_});
  EXPECT_EQ(take_all(), (Keys{2}));
}

TEST_F(LineUpTest, an_answered_attempt_frees_its_place_in_the_window_but_not_its_line) {
  line_up_.add_endpoint(kShop, endpoint::Ordering::per_key, admission::Window(1));
  add(1, kShop, 1);
  add(2, kShop, 2);
  add(9, kShop, 1, delivery::Due{WallTime{0}}, LineKey{200});
  EXPECT_EQ(take_all(), (Keys{1}));
  line_up_.answered(*line_up_.find(DeliveryKey{1}));
  EXPECT_EQ(take_all(), (Keys{9}));
  end(1, delivery::Delivered{wall_});
  EXPECT_EQ(take_all(), Keys{});  // 9 has the only place
  line_up_.answered(*line_up_.find(DeliveryKey{9}));
  EXPECT_EQ(take_all(), (Keys{2}));
}

TEST_F(LineUpTest, at_most_kInFlightMax_are_taken_at_a_time) {
  line_up_.add_endpoint(kShop, endpoint::Ordering::none, admission::Window(10'000));
  for (std::int64_t key = 1; key <= 5'000; ++key) add(key, kShop);
  EXPECT_EQ(take_all().size(), 4'096u);
  EXPECT_EQ(line_up_.sendable(), 904u);
  end(1, delivery::Delivered{wall_});
  EXPECT_EQ(take_all(), (Keys{4'097}));
}

}  // namespace
}  // namespace semel::engine
