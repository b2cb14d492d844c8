// sim_net_test.cc: the real HTTP client and server over the network of a world.
#include "sim/net/sim_net.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "sim/net/testing/small_world.h"

namespace semel::sim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSupersetOf;

TEST(SimNet, a_request_is_answered_and_each_step_is_seen_on_the_wire) {
  SmallWorld world;
  world.serve();
  const Answer answer = std::get<Answer>(world.send());
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body_excerpt, "2");
  EXPECT_THAT(world.heard.connects, ElementsAre(kShop));
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

TEST(SimNet, tells_how_many_connections_each_host_has_open) {
  SmallWorld world;
  world.serve();
  using Open = Heard::Open;
  world.send();
  EXPECT_EQ(world.heard.open.at("sender"), (Open{.asked = 1, .accepted = 0}));
  EXPECT_EQ(world.heard.open.at("receiver"), (Open{.asked = 0, .accepted = 1}));
  std::optional<Outcome> first, second;
  world.start(first), world.start(second);  // one takes the idle connection
  world.run_for(milliseconds(5'000));
  EXPECT_TRUE(first && second);
  EXPECT_EQ(world.heard.open.at("sender"), (Open{.asked = 2, .accepted = 0}));
  world.run_for(std::chrono::minutes(3));  // idle ones go
  world.send();
  EXPECT_EQ(world.heard.open.at("receiver"), (Open{.asked = 0, .accepted = 1}));
}

TEST(SimNet, what_a_host_has_not_accepted_yet_is_not_open_there) {
  SmallWorld world;
  world.serve();
  world.receiver->process.stall(world.schedule.now() + milliseconds(5'000));
  std::optional<Outcome> outcome;
  world.start(outcome);
  world.run_for(milliseconds(4'000));
  EXPECT_EQ(world.heard.open.count("sender"), 1u);
  EXPECT_EQ(world.heard.open.count("receiver"), 0u);
  world.run_for(milliseconds(4'000));
  EXPECT_EQ(world.heard.open.count("receiver"), 1u);
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

// What an outcome is, in a few words.
std::string text_of(const Outcome& outcome) {
  if (const Answer* answer = std::get_if<Answer>(&outcome))
    return std::to_string(answer->status) + (answer->body == Answer::Body::complete ? "" : " cut");
  const NoAnswer& none = std::get<NoAnswer>(outcome);
  constexpr std::string_view kTroubles[] = {"denied",    "name", "connect",   "tls",   "certificate",
                                            "malformed", "lost", "timed out", "lapsed"};
  return std::string(kTroubles[static_cast<std::size_t>(none.trouble)]) + (none.stale_connection ? " stale" : "");
}

// The outcomes of the first of some exchanges in worlds of this fault alone.
std::set<std::string> first_outcomes(FaultClass fault, void (*check)(SmallWorld&, const Outcome&)) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    SmallWorld world(seed, only(fault), static_cast<Order>(seed % kOrders));
    world.serve();
    const Outcome outcome = world.send();
    EXPECT_LE(world.schedule.now(), MonotonicTime{} + milliseconds(15'010));
    seen.insert(text_of(outcome));
    check(world, outcome);
    world.run_out();
    EXPECT_EQ(world.net.connections(), 0u);
    EXPECT_EQ(world.schedule.waiting(), 0u);
  }
  return seen;
}

TEST(SimNetFaults, refused_connections_send_nothing) {
  const auto seen = first_outcomes(FaultClass::refused, [](SmallWorld& world, const Outcome& outcome) {
    EXPECT_FALSE(std::get<NoAnswer>(outcome).request_byte_left);
    EXPECT_EQ(world.handled, 0);
  });
  EXPECT_THAT(seen, ElementsAre("connect"));
}

TEST(SimNetFaults, failed_tls_sends_nothing) {
  const auto seen = first_outcomes(FaultClass::tls, [](SmallWorld& world, const Outcome& outcome) {
    EXPECT_FALSE(std::get<NoAnswer>(outcome).request_byte_left);
    EXPECT_EQ(world.handled, 0);
  });
  EXPECT_THAT(seen, ElementsAre("certificate", "tls"));
}

TEST(SimNetFaults, a_slow_connection_delivers_or_runs_into_the_deadline) {
  const auto seen = first_outcomes(FaultClass::delay, [](SmallWorld& world, const Outcome& outcome) {
    if (std::holds_alternative<Answer>(outcome)) EXPECT_EQ(world.handled, 1);
  });
  EXPECT_THAT(seen, ElementsAre("200", "timed out"));
}

TEST(SimNetFaults, a_clogged_link_delivers_late) {
  static int late;
  late = 0;
  const auto seen = first_outcomes(FaultClass::clog, [](SmallWorld& world, const Outcome& outcome) {
    if (std::holds_alternative<Answer>(outcome)) EXPECT_EQ(world.handled, 1);
    const int before = world.handled;
    world.run_for(milliseconds(60'000));
    late += world.handled > before;
  });
  EXPECT_GT(late, 2);
  EXPECT_THAT(seen, ElementsAre("200", "timed out"));
}

TEST(SimNetFaults, a_partition_that_ends_delivers_late_but_a_reset_within_it_is_lost) {
  static int unheard;
  unheard = 0;
  const auto seen = first_outcomes(FaultClass::partition, [](SmallWorld& world, const Outcome& outcome) {
    if (std::holds_alternative<Answer>(outcome)) {
      EXPECT_EQ(world.handled, 1);
    } else {
      world.run_for(milliseconds(43'000));  // every partition is over, and the server still waits for a request
      unheard += world.receiver->server->connections() == 1;
    }
  });
  EXPECT_GT(unheard, 2);
  EXPECT_THAT(seen, ElementsAre("200", "timed out"));
}

TEST(SimNetFaults, dripping_bytes_arrive_in_order) {
  const auto seen = first_outcomes(FaultClass::drip, [](SmallWorld& world, const Outcome& outcome) {
    if (std::holds_alternative<Answer>(outcome)) EXPECT_EQ(std::get<Answer>(outcome).body_excerpt, "2");
    if (world.handled == 1) EXPECT_EQ(world.heard.arrived.at(0).body, "{}");
  });
  EXPECT_THAT(seen, IsSupersetOf({"200", "timed out"}));
}

TEST(SimNetFaults, a_cut_leaves_every_kind_of_doubt) {
  static int doubtful_effects, doubtful_nothings;
  doubtful_effects = doubtful_nothings = 0;
  const auto seen = first_outcomes(FaultClass::cut, [](SmallWorld& world, const Outcome& outcome) {
    EXPECT_LE(world.handled, 1);
    EXPECT_EQ(world.heard.arrived.size(), static_cast<std::size_t>(world.handled));
    if (std::holds_alternative<Answer>(outcome)) {
      EXPECT_EQ(world.handled, 1);
    } else {
      EXPECT_TRUE(std::get<NoAnswer>(outcome).request_byte_left);
      ++(world.handled == 1 ? doubtful_effects : doubtful_nothings);
    }
    if (world.handled == 1) EXPECT_EQ(world.heard.arrived.at(0).body, "{}");
  });
  EXPECT_THAT(seen, ElementsAre("200", "200 cut", "lost", "timed out"));
  EXPECT_GT(doubtful_effects, 20);
  EXPECT_GT(doubtful_nothings, 20);
}

TEST(SimNetFaults, a_replayed_request_arrives_again_and_nobody_asked_twice) {
  const auto seen = first_outcomes(FaultClass::replay, [](SmallWorld& world, const Outcome&) {
    world.run_for(std::chrono::minutes(20));
    EXPECT_EQ(world.handled, 2);
    EXPECT_EQ(world.heard.left.size(), 1u);
    ASSERT_EQ(world.heard.arrived.size(), 2u);
    EXPECT_NE(world.heard.arrived[0].replayed, world.heard.arrived[1].replayed);
    EXPECT_EQ(world.heard.arrived[1].headers, world.heard.arrived[0].headers);
    EXPECT_EQ(world.heard.arrived[1].body, "{}");
    EXPECT_EQ(world.heard.answers.size(), 2u);
  });
  EXPECT_THAT(seen, ElementsAre("200"));
}

// Counts the bytes of all connections until they end.
struct Counting {
  explicit Counting(SmallWorld& world) {
    listener = *world.receiver->network->listen(kShop, [this](std::unique_ptr<Stream> accepted) {
      stream = std::move(accepted);
      read();
    });
  }
  void read() {
    stream->start_read(buffer, cancel, [this](Result<std::size_t> result) {
      count += result.value_or(0);
      if (result.value_or(0) > 0) read();
    });
  }
  std::unique_ptr<Listener> listener;
  std::unique_ptr<Stream> stream;
  std::array<char, 4096> buffer;
  Cancel cancel;
  std::size_t count = 0;
};

TEST(SimNetFaults, cuts_fall_where_it_matters) {
  std::set<std::size_t> lengths;
  std::size_t whole = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SmallWorld world(seed, only(FaultClass::cut));
    Counting counting(world);
    world.send(SmallWorld::request("body"));
    lengths.insert(counting.count);
    whole = std::max(whole, counting.count);
  }
  const std::size_t head = whole - 4;
  EXPECT_THAT(lengths, IsSupersetOf({std::size_t{0}, std::size_t{1}, head, whole - 1, whole}));
  EXPECT_GT(lengths.size(), 10u);
}

TEST(SimNetFaults, a_replay_that_is_planned_does_not_come_after_healing) {
  int planned = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SmallWorld world(seed, only(FaultClass::replay));
    world.serve();
    EXPECT_EQ(text_of(world.send()), "200");
    world.faults.heal();
    world.net.heal();
    world.run_for(milliseconds(100));  // what is on the wire already arrives
    const int before = world.handled;
    world.run_out();
    EXPECT_EQ(world.handled, before);
    planned += before == 1;
  }
  EXPECT_GT(planned, 20);
}

TEST(SimNetFaults, only_a_post_with_a_webhook_id_is_replayed) {
  SmallWorld world(1, only(FaultClass::replay));
  world.serve();
  SealedRequest plain = SmallWorld::request();
  plain.headers = "x: y\r\n";
  world.send(std::move(plain));
  world.run_out();
  EXPECT_EQ(world.handled, 1);
}

TEST(SimNetFaults, an_idle_connection_that_closes_is_noticed_or_stale) {
  std::set<std::string> seen;
  int noticed = 0, stale = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    SmallWorld world(seed, only(FaultClass::stale_close), static_cast<Order>(seed % kOrders));
    world.serve();
    EXPECT_EQ(text_of(world.send()), "200");
    world.run_for(milliseconds(static_cast<std::int64_t>(seed) * 10));
    const std::string second = text_of(world.send());
    EXPECT_EQ(world.handled, second == "200" ? 2 : 1);
    noticed += world.heard.connects.size() == 2;
    stale += second == "lost stale";
    seen.insert(second);
    world.run_out();
    EXPECT_EQ(world.schedule.waiting(), 0u);
  }
  EXPECT_THAT(seen, ElementsAre("200", "lost stale"));
  EXPECT_GT(noticed, 20);
  EXPECT_GT(stale, 60);
}

TEST(SimNetFaults, no_answer_of_dns_leads_to_a_private_address) {
  const auto seen = first_outcomes(FaultClass::dns, [](SmallWorld& world, const Outcome& outcome) {
    for (const SocketAddress& to : world.heard.connects) EXPECT_TRUE(egress::is_public(to.ip));
    if (!std::holds_alternative<Answer>(outcome)) EXPECT_FALSE(std::get<NoAnswer>(outcome).request_byte_left);
  });
  EXPECT_THAT(seen, ElementsAre("200", "connect", "denied", "name", "timed out"));
}

TEST(SimNetFaults, a_class_that_is_left_out_does_not_strike) {
  Faults::Rates all;
  all.fill(percent(100));
  SmallWorld world(1, all);
  world.faults = Faults(
      1, all,
      {.classes = {FaultClass::refused, FaultClass::tls, FaultClass::delay, FaultClass::clog, FaultClass::partition,
                   FaultClass::cut, FaultClass::drip, FaultClass::replay, FaultClass::stale_close, FaultClass::dns}});
  world.serve();
  EXPECT_EQ(text_of(world.send()), "200");
  EXPECT_EQ(text_of(world.send()), "200");
  EXPECT_TRUE(world.faults.struck().empty());
}

TEST(SimNetSever, a_receiver_killed_over_a_request_leaves_it_in_doubt_and_its_next_incarnation_serves) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    SmallWorld world(seed, {}, static_cast<Order>(seed % kOrders));
    world.serve(milliseconds(1'000));
    std::optional<Outcome> outcome;
    world.start(outcome);
    world.run_for(milliseconds(900));
    EXPECT_EQ(world.handled, 1);
    world.kill_receiver();
    world.run_for(milliseconds(16'000));
    ASSERT_TRUE(outcome.has_value());
    seen.insert(text_of(*outcome));
    EXPECT_EQ(text_of(world.send()), "connect");
    world.start_receiver();
    world.serve();
    EXPECT_EQ(text_of(world.send()), "200");
    world.run_out();
    EXPECT_EQ(world.net.connections(), 0u);
  }
  EXPECT_THAT(seen, ElementsAre("lost", "timed out"));
}

TEST(SimNetSever, a_sender_killed_over_a_request_hears_nothing_and_the_server_lets_go_of_it) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    SmallWorld world(seed, {}, static_cast<Order>(seed % kOrders));
    world.serve(milliseconds(500));
    std::optional<Outcome> outcome;
    world.start(outcome);
    world.run_for(milliseconds(static_cast<std::int64_t>(seed) * 20));
    const bool done = outcome.has_value();
    world.sender.process.kill();
    world.net.sever(kSenderIp);
    world.scope.drop_all();
    world.run_for(milliseconds(120'000));
    EXPECT_EQ(outcome.has_value(), done);
    EXPECT_EQ(world.receiver->server->connections(), 0u);
    world.run_out();
    EXPECT_EQ(world.net.connections(), 0u);
    EXPECT_EQ(world.schedule.waiting(), 0u);
  }
}

TEST(SimNetHeal, what_was_held_up_arrives_soon_and_nothing_strikes_any_more) {
  for (const FaultClass fault : {FaultClass::clog, FaultClass::partition, FaultClass::delay, FaultClass::drip}) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      SCOPED_TRACE(::testing::Message() << name_of(fault) << ", seed " << seed);
      SmallWorld world(seed, only(fault));
      world.serve();
      std::optional<Outcome> outcome;
      world.start(outcome);
      world.run_for(milliseconds(500));
      world.faults.heal();
      world.net.heal();
      world.run_for(milliseconds(1'000));
      ASSERT_TRUE(outcome.has_value());
      EXPECT_EQ(text_of(*outcome), "200");
      const MonotonicTime before = world.schedule.now();
      EXPECT_EQ(text_of(world.send()), "200");
      EXPECT_LT(world.schedule.now() - before, milliseconds(500));
    }
  }
}

// A stream of the network alone, without HTTP.
struct Raw {
  explicit Raw(SmallWorld& in) : world(in) {
    listener = *world.receiver->network->listen(kShop, [this](std::unique_ptr<Stream> s) { there = std::move(s); });
    world.sender.network->start_connect({.address = kShop}, cancel,
                                        [this](auto connected) { here = *std::move(connected); });
    world.run_for(milliseconds(1'000));
  }
  SmallWorld& world;
  Cancel cancel;
  std::unique_ptr<Listener> listener;
  std::unique_ptr<Stream> here, there;
};

TEST(SimNetStream, a_write_to_who_does_not_read_waits_until_it_is_cancelled) {
  SmallWorld world;
  Raw raw(world);
  const std::string much(1'000'000, 'x');
  std::optional<Result<Nothing>> written;
  raw.here->start_write(much, raw.cancel, [&](Result<Nothing> result) { written = std::move(result); });
  world.run_for(milliseconds(100'000));
  EXPECT_FALSE(written.has_value());
  raw.cancel.request();
  EXPECT_FALSE(written.has_value());
  world.run_for(milliseconds(0));
  ASSERT_TRUE(written.has_value());
  EXPECT_EQ(written->error().fault, Fault::timed_out);
}

TEST(SimNetStream, an_abort_breaks_both_sides_and_a_destroyed_stream_hears_nothing) {
  SmallWorld world;
  Raw raw(world);
  std::array<char, 10> buffer;
  std::optional<Result<std::size_t>> here, there;
  Cancel cancel_there;
  raw.here->start_read(buffer, raw.cancel, [&](Result<std::size_t> result) { here = std::move(result); });
  raw.there->start_read(buffer, cancel_there, [&](Result<std::size_t> result) { there = std::move(result); });
  EXPECT_EQ(raw.there->idle(), Stream::Idle::quiet);
  raw.here->abort();
  EXPECT_FALSE(here.has_value());
  world.run_for(milliseconds(0));
  ASSERT_TRUE(here.has_value());
  EXPECT_EQ(here->error().fault, Fault::unavailable);
  raw.there.reset();
  world.run_for(milliseconds(1'000));
  EXPECT_FALSE(there.has_value());
}

TEST(SimNetStream, the_orderly_end_comes_behind_the_bytes) {
  SmallWorld world;
  Raw raw(world);
  std::optional<Result<Nothing>> written;
  raw.here->start_write(std::string_view("abc"), raw.cancel, [&](Result<Nothing> result) { written = result; });
  raw.here.reset();
  world.run_for(milliseconds(1'000));
  EXPECT_EQ(raw.there->idle(), Stream::Idle::has_bytes);
  std::array<char, 10> buffer;
  std::vector<std::size_t> read;
  while (read.empty() || read.back() > 0) {
    Cancel cancel;
    raw.there->start_read(buffer, cancel, [&](Result<std::size_t> result) { read.push_back(*result); });
    world.run_for(milliseconds(0));
  }
  EXPECT_THAT(read, ElementsAre(3, 0));
  EXPECT_EQ(raw.there->idle(), Stream::Idle::closed);
}

}  // namespace
}  // namespace semel::sim::testing
