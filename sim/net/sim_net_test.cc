// sim_net_test.cc: the real HTTP client and server over the network of a world.
#include "sim/net/sim_net.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/net/testing/small_world.h"

namespace semel::sim::testing {
namespace {

using ::testing::ElementsAre;

TEST(SimNet, a_request_is_answered_and_each_step_is_seen_on_the_wire) {
  SmallWorld world;
  world.serve();
  const Answer answer = std::get<Answer>(world.send());
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body_excerpt, "2");
  EXPECT_THAT(world.heard.connects, ElementsAre(address("93.184.216.34:443")));
  ASSERT_EQ(world.heard.left.size(), 1u);
  EXPECT_EQ(world.heard.left[0].method, "POST");
  EXPECT_EQ(world.heard.left[0].target, "/hook");
  EXPECT_EQ(world.heard.left[0].header("webhook-id"), "evt_1");
  EXPECT_EQ(world.heard.left[0].body, "{}");
  ASSERT_EQ(world.heard.arrived.size(), 1u);
  EXPECT_EQ(world.heard.arrived[0].body, "{}");
  ASSERT_EQ(world.heard.answers.size(), 2u);
  EXPECT_FALSE(world.heard.answers[0].complete);
  EXPECT_TRUE(world.heard.answers[1].complete);
  EXPECT_EQ(world.heard.answers[1].status, 200);
  EXPECT_EQ(world.heard.answers[1].body, "2");
}

TEST(SimNet, the_next_request_takes_the_same_connection) {
  SmallWorld world;
  world.serve();
  world.send();
  world.send();
  EXPECT_EQ(world.heard.connects.size(), 1u);
  ASSERT_EQ(world.heard.arrived.size(), 2u);
  EXPECT_EQ(world.heard.arrived[1].connection, world.heard.arrived[0].connection);
  EXPECT_EQ(world.heard.arrived[1].number, 2u);
}

TEST(SimNet, a_body_larger_than_the_window_goes_through) {
  SmallWorld world;
  world.serve();
  const Answer answer = std::get<Answer>(world.send(SmallWorld::request(std::string(200'000, 'x'))));
  EXPECT_EQ(answer.body_excerpt, "200000");
}

TEST(SimNet, where_nothing_listens_is_refused) {
  SmallWorld world;
  const NoAnswer none = std::get<NoAnswer>(world.send());
  EXPECT_EQ(none.trouble, NoAnswer::Trouble::connect);
  EXPECT_LT(world.schedule.now(), MonotonicTime{} + milliseconds(1'000));
}

TEST(SimNet, an_address_of_nobody_does_not_answer) {
  SmallWorld world;
  world.net.name_host("shop.example", {ip("93.184.216.35")});
  const NoAnswer none = std::get<NoAnswer>(world.send());
  EXPECT_EQ(none.trouble, NoAnswer::Trouble::connect);
  EXPECT_GT(world.schedule.now(), MonotonicTime{} + milliseconds(4'999));
}

}  // namespace
}  // namespace semel::sim::testing
