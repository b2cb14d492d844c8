// hostile_test.cc: the real HTTP client against every hostile program.
#include "sim/net/hostile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sim/net/testing/small_world.h"

namespace semel::sim::testing {
namespace {

TEST(Hostile, there_are_many_programs_and_each_has_a_name_and_a_sentence) {
  std::set<std::string_view> names;
  for (const HostileProgram& program : hostile_programs()) {
    EXPECT_TRUE(names.insert(program.name).second) << program.name;
    EXPECT_FALSE(program.does.empty()) << program.name;
  }
  EXPECT_GE(names.size(), 60u);
}

// A complete answer may only be taken from one to the request that was sent last.
bool was_answered(const SmallWorld& world) {
  const WireRequest& last = world.heard.left.back();
  return std::ranges::any_of(world.heard.answers, [&](const WireAnswer& answer) {
    return answer.complete && answer.connection == last.connection && answer.number == last.number;
  });
}

TEST(Hostile, every_exchange_ends_in_time_and_every_program_goes) {
  for (const HostileProgram& program : hostile_programs()) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      SCOPED_TRACE(::testing::Message() << program.name << ", seed " << seed);
      SmallWorld world(seed, {}, static_cast<Order>(seed % kOrders));
      HostileReceiver hostile(world.receiver->process, *world.receiver->network, kShop, program,
                              Draw(seed, program.name));
      for (int i = 0; i < 12; ++i) {
        const MonotonicTime begin = world.schedule.now();
        const Outcome outcome = world.send(SmallWorld::request(std::string(seed * 40'000, 'x')));
        EXPECT_LE(world.schedule.now() - begin, milliseconds(15'010));
        // 413 refuses a request that has not left as a whole.
        const Answer* answer = std::get_if<Answer>(&outcome);
        if (answer && answer->body == Answer::Body::complete && answer->status != 413) EXPECT_TRUE(was_answered(world));
        world.run_for(milliseconds(700));
      }
      EXPECT_GT(hostile.connections(), 0);
      world.run_for(milliseconds(61'000));
      EXPECT_EQ(hostile.open(), 0u);
    }
  }
}

struct Expected {
  std::string_view program;
  std::string outcome;
};

std::string text_of(const Outcome& outcome) {
  if (const Answer* answer = std::get_if<Answer>(&outcome))
    return std::to_string(answer->status) + (answer->body == Answer::Body::complete     ? " complete"
                                             : answer->body == Answer::Body::incomplete ? " incomplete"
                                                                                        : " over the cap");
  switch (std::get<NoAnswer>(outcome).trouble) {
    case NoAnswer::Trouble::malformed_answer:
      return "malformed";
    case NoAnswer::Trouble::connection_lost:
      return "lost";
    case NoAnswer::Trouble::timed_out:
      return "timed out";
    case NoAnswer::Trouble::denied_destination:
    case NoAnswer::Trouble::name_resolution:
    case NoAnswer::Trouble::connect:
    case NoAnswer::Trouble::tls:
    case NoAnswer::Trouble::certificate:
    case NoAnswer::Trouble::lapsed:
      break;
  }
  return "another trouble";
}

TEST(Hostile, the_first_outcome_is_what_happened) {
  const Expected table[] = {
      {"reads_nothing", "timed out"},
      {"never_answers", "timed out"},
      {"closes_after_the_request", "lost"},
      {"resets_after_the_request", "lost"},
      {"endless_headers", "malformed"},
      {"header_drip", "timed out"},
      {"byte_drip", "timed out"},
      {"endless_interim", "malformed"},
      {"interim_drip", "timed out"},
      {"few_interim", "200 complete"},
      {"switches_protocols", "malformed"},
      {"endless_body", "200 over the cap"},
      {"endless_chunks", "200 over the cap"},
      {"body_drip", "200 incomplete"},
      {"body_never_ends", "200 incomplete"},
      {"absurd_status", "malformed"},
      {"answers_twice", "200 complete"},
      {"garbage", "malformed"},
      {"http2_preface", "malformed"},
      {"http_0_9", "malformed"},
      {"closes_after_the_status_line", "lost"},
      {"closes_within_the_body", "200 incomplete"},
      {"redirects", "301 complete"},
      {"cookie_flood", "200 complete"},
      {"gzip_bomb", "200 complete"},
      {"piece_by_piece", "200 complete"},
  };
  for (const Expected& expected : table) {
    SmallWorld world;
    const auto program = std::ranges::find(hostile_programs(), expected.program, &HostileProgram::name);
    ASSERT_NE(program, hostile_programs().end()) << expected.program;
    HostileReceiver hostile(world.receiver->process, *world.receiver->network, kShop, *program, Draw(1, "hostile"));
    EXPECT_EQ(text_of(world.send()), expected.outcome) << expected.program;
    EXPECT_EQ(world.heard.connects, std::vector{kShop}) << expected.program;
  }
}

TEST(Hostile, a_receiver_can_be_destroyed_while_its_programs_wait) {
  for (const HostileProgram& program : hostile_programs()) {
    SmallWorld world;
    auto hostile = std::make_unique<HostileReceiver>(world.receiver->process, *world.receiver->network, kShop, program,
                                                     Draw(1, "hostile"));
    std::optional<Outcome> outcome;
    world.start(outcome);
    world.run_for(milliseconds(300));
    hostile.reset();
    world.run_for(milliseconds(15'000));
    EXPECT_TRUE(outcome.has_value()) << program.name;
  }
}

}  // namespace
}  // namespace semel::sim::testing
