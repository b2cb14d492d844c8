// inbox_test.cc: one table per rule of the inbox, and what goes on the wire.
#include "core/inbox/inbox.h"

#include <gtest/gtest.h>

#include <string>

#include "base/match.h"

namespace semel::inbox {
namespace {

// 2026-03-01T00:00:00Z
constexpr WallTime kNow{1'772'323'200'000};
constexpr milliseconds kDay = std::chrono::hours(24);

Arrival keyed(Sequence sequence, Sequence after) {
  Arrival arrival;
  arrival.source = "shop";
  arrival.id = "evt_1";
  arrival.endpoint = "ep_1";
  arrival.ordering_key = "order-7";
  arrival.sequence = sequence;
  arrival.after = after;
  arrival.accepted_at = kNow;
  return arrival;
}

Arrival unkeyed() {
  Arrival arrival;
  arrival.source = "shop";
  arrival.id = "evt_1";
  return arrival;
}

// A ruling as a person would write it down.
std::string told(const Ruling& ruling) {
  const auto moves = [](bool moves_position) { return moves_position ? ", moves" : ""; };
  return match(
      ruling,
      [&](const Duplicate& r) {
        return std::string("duplicate") + (r.first_through_this_endpoint ? ", first here" : "") +
               moves(r.moves_position);
      },
      [](const Reject& r) { return "reject " + r.reason + (r.keep_as_late ? ", keep" : ""); },
      [](const Park& r) { return "park after " + std::to_string(r.after); },
      [](const Later& r) { return "later " + r.reason; },
      [&](const Superseded& r) { return std::string("superseded") + moves(r.moves_position); },
      [&](const Apply& r) { return std::string("apply") + moves(r.moves_position); });
}

std::string judged(const Arrival& arrival, const InboxFacts& facts) {
  return told(judge_arrival(arrival, facts, kNow));
}

TEST(Rule1, what_is_older_than_the_memory_of_the_inbox_is_rejected) {
  struct Case {
    std::optional<WallTime> accepted_at, purged_through;
    std::string expected;
  };
  const Case cases[] = {
      {kNow, std::nullopt, "apply, moves"},
      {kNow - 89 * kDay, std::nullopt, "apply, moves"},
      {kNow - 89 * kDay - milliseconds(1), std::nullopt, "reject too_old_to_judge"},
      {kNow - 10 * kDay, kNow - 10 * kDay, "reject too_old_to_judge"},
      {kNow - 10 * kDay, kNow - 10 * kDay - milliseconds(1), "apply, moves"},
      {std::nullopt, kNow, "apply, moves"},
  };
  for (const Case& c : cases) {
    Arrival arrival = keyed(1, 0);
    arrival.accepted_at = c.accepted_at;
    InboxFacts facts;
    facts.purged_through = c.purged_through;
    EXPECT_EQ(judged(arrival, facts), c.expected) << c.accepted_at.value_or(WallTime{}).ms;
  }
}

TEST(Rule2, what_was_applied_is_a_duplicate_once_this_endpoint_is_there_too) {
  struct Case {
    bool through_this_endpoint;
    Arrival arrival;
    Sequence position;
    std::string expected;
  };
  const Case cases[] = {
      {true, keyed(3, 2), 3, "duplicate"},
      {true, keyed(3, 2), 0, "duplicate"},  // a position that was lost does not bring the effect back
      {true, unkeyed(), 0, "duplicate"},
      {false, unkeyed(), 0, "duplicate, first here"},
      {false, keyed(3, 2), 2, "duplicate, first here, moves"},
      {false, keyed(3, 2), 3, "duplicate, first here"},
      {false, keyed(3, 2), 1, "park after 2"},
  };
  for (const Case& c : cases) {
    InboxFacts facts;
    facts.known = Applied{c.through_this_endpoint};
    facts.position = c.position;
    EXPECT_EQ(judged(c.arrival, facts), c.expected) << c.through_this_endpoint << " at " << c.position;
  }
}

TEST(Rule3, a_rejection_by_the_application_stands_until_a_higher_round_or_another_endpoint) {
  struct Case {
    std::optional<std::uint32_t> rejected_round;
    std::uint32_t round;
    Sequence position;
    std::string expected;
  };
  const Case cases[] = {
      {1, 1, 0, "reject no such order"},    {2, 1, 0, "reject no such order"}, {1, 2, 0, "apply, moves"},
      {std::nullopt, 1, 0, "apply, moves"}, {1, 2, 1, "reject late, keep"},  // judged again by all that follows
  };
  for (const Case& c : cases) {
    Arrival arrival = keyed(1, 0);
    arrival.round = c.round;
    InboxFacts facts;
    facts.known = RejectedByApplication{c.rejected_round, "no such order"};
    facts.position = c.position;
    EXPECT_EQ(judged(arrival, facts), c.expected) << c.rejected_round.value_or(0) << " then " << c.round;
  }
}

TEST(Rule4, what_was_passed_over_is_late_and_only_out_of_order_consent_applies_it) {
  struct Case {
    Sequence sequence, after, position;
    bool out_of_order;
    std::optional<Sequence> parked_after;
    std::string expected;
  };
  const Case cases[] = {
      {3, 2, 3, false, std::nullopt, "reject late, keep"},
      {3, 2, 9, false, std::nullopt, "reject late, keep"},
      {3, 2, 3, false, 2, "reject late, keep"},  // also when it was parked: never a duplicate
      {3, 2, 3, true, std::nullopt, "apply"},
      {3, 2, 2, true, std::nullopt, "apply, moves"},
      {3, 2, 1, true, std::nullopt, "park after 2"},  // above the position the flag changes nothing
  };
  for (const Case& c : cases) {
    Arrival arrival = keyed(c.sequence, c.after);
    arrival.out_of_order = c.out_of_order;
    InboxFacts facts;
    facts.position = c.position;
    facts.parked_after = c.parked_after;
    EXPECT_EQ(judged(arrival, facts), c.expected) << c.sequence << " at " << c.position;
  }
}

TEST(Rule5, what_waits_for_its_predecessor_is_parked_within_the_quota) {
  struct Case {
    Sequence after, position;
    std::optional<Sequence> parked_after;
    std::uint32_t in_line, in_all;
    std::string expected;
  };
  const Case cases[] = {
      {4, 2, std::nullopt, 0, 0, "park after 4"},
      {4, 2, 3, 1, 1, "park after 3"},  // the lowest `after` received counts
      {3, 2, 4, 1, 1, "park after 3"},
      {4, 2, 2, 1, 1, "apply, moves"},
      {4, 2, std::nullopt, 999, 99'999, "park after 4"},
      {4, 2, std::nullopt, 1'000, 1'000, "later parked_quota"},
      {4, 2, std::nullopt, 0, 100'000, "later parked_quota"},
      {4, 2, 4, 1'000, 100'000, "park after 4"},  // already has its place
      {2, 2, std::nullopt, 1'000, 100'000, "apply, moves"},
  };
  for (const Case& c : cases) {
    InboxFacts facts;
    facts.position = c.position;
    facts.parked_after = c.parked_after;
    facts.parked_in_line = c.in_line;
    facts.parked_in_all = c.in_all;
    EXPECT_EQ(judged(keyed(5, c.after), facts), c.expected) << c.after << " at " << c.position;
  }
}

TEST(Rule6, the_version_guard_answers_for_what_the_entity_already_is) {
  struct Case {
    std::optional<std::string> correlation_id;
    std::optional<std::uint64_t> version, stands_at;
    std::string expected;
  };
  const Case cases[] = {
      {"order-7", 4, 3, "apply"},      {"order-7", 4, 4, "superseded"},       {"order-7", 4, 5, "superseded"},
      {"order-7", 0, 0, "superseded"}, {"order-7", 4, std::nullopt, "apply"}, {"order-7", std::nullopt, 5, "apply"},
      {std::nullopt, 4, 5, "apply"},  // nothing says whose version it is
  };
  for (const Case& c : cases) {
    Arrival arrival = unkeyed();
    arrival.correlation_id = c.correlation_id;
    arrival.entity_version = c.version;
    InboxFacts facts;
    facts.entity_version = c.stands_at;
    EXPECT_EQ(judged(arrival, facts), c.expected) << c.version.value_or(99) << " over " << c.stands_at.value_or(99);
  }
  Arrival arrival = keyed(2, 1);
  arrival.entity_version = 4;
  InboxFacts facts;
  facts.position = 1;
  facts.entity_version = 4;
  EXPECT_EQ(judged(arrival, facts), "superseded, moves");
}

TEST(Order, only_a_complete_line_orders_an_event) {
  const auto without = [](auto clear) {
    Arrival arrival = keyed(5, 4);
    clear(arrival);
    return judged(arrival, InboxFacts{});
  };
  EXPECT_EQ(without([](Arrival&) {}), "park after 4");
  EXPECT_EQ(without([](Arrival& a) { a.endpoint.reset(); }), "apply");
  EXPECT_EQ(without([](Arrival& a) { a.ordering_key.reset(); }), "apply");
  EXPECT_EQ(without([](Arrival& a) { a.sequence.reset(); }), "apply");
  EXPECT_EQ(without([](Arrival& a) { a.after.reset(); }), "apply");
}

TEST(Parked, is_judged_by_the_same_rules_once_its_turn_has_come) {
  struct Case {
    Sequence parked_after, position;
    std::variant<std::monostate, Applied, RejectedByApplication> known;
    std::string expected;
  };
  const Case cases[] = {
      {4, 3, {}, "not yet"},
      {4, 4, {}, "apply, moves"},
      {3, 3, {}, "apply, moves"},
      {4, 5, {}, "reject late, keep"},
      {4, 6, {}, "reject late, keep"},
      {4, 4, Applied{false}, "duplicate, first here, moves"},
      {4, 5, Applied{false}, "duplicate, first here"},
      {4, 4, Applied{true}, "duplicate"},
      {4, 4, RejectedByApplication{1, "no"}, "reject no"},
      {4, 4, RejectedByApplication{std::nullopt, "no"}, "apply, moves"},
  };
  for (const Case& c : cases) {
    Arrival parked = keyed(5, 4);
    parked.out_of_order = true;
    InboxFacts facts;
    facts.parked_after = c.parked_after;
    facts.position = c.position;
    facts.known = c.known;
    const std::optional<Ruling> ruling = judge_parked(parked, facts);
    EXPECT_EQ(ruling ? told(*ruling) : "not yet", c.expected) << c.parked_after << " at " << c.position;
  }
}

TEST(WireAnswer, says_status_disposition_and_body) {
  struct Case {
    Disposition disposition;
    std::string_view reason;
    int status;
    std::string_view header, body;
    std::optional<std::uint32_t> retry_after_s;
  };
  const Case cases[] = {
      {Disposition::applied, "", 200, "applied", R"({"status":"applied"})", std::nullopt},
      {Disposition::duplicate, "", 200, "duplicate", R"({"status":"already_processed"})", std::nullopt},
      {Disposition::parked, "", 202, "parked", R"({"status":"parked"})", std::nullopt},
      {Disposition::rejected, "late", 422, "rejected", R"({"status":"rejected","reason":"late"})", std::nullopt},
      {Disposition::later, "parked_quota", 425, "", R"({"status":"later","reason":"parked_quota"})", 5},
  };
  for (const Case& c : cases) {
    const WireAnswer answer = wire_answer(c.disposition, c.reason);
    EXPECT_EQ(answer.status, c.status);
    EXPECT_EQ(answer.disposition, c.header);
    EXPECT_EQ(answer.body, c.body);
    EXPECT_EQ(answer.retry_after_s, c.retry_after_s);
  }
}

TEST(ReadArrival, takes_what_the_envelope_says) {
  const Result<Arrival> arrival = read_arrival(
      R"({"id":"evt_1","type":"order.paid","timestamp":"2026-03-01T00:00:00.000Z",)"
      R"("accepted_at":"2026-03-01T00:00:00.000Z","tenant":"default","correlation_id":"c-1","ordering_key":"order-7",)"
      R"("sequence":5,"entity_version":9,)"
      R"("delivery":{"endpoint":"ep_1","round":2,"after":3,"out_of_order":true},"data":{"id":"other"}})",
      "evt_1", "shop");
  ASSERT_TRUE(arrival) << arrival.error().note;
  EXPECT_EQ(arrival->source, "shop");
  EXPECT_EQ(arrival->id, "evt_1");
  EXPECT_EQ(arrival->type, "order.paid");
  EXPECT_EQ(arrival->endpoint, "ep_1");
  EXPECT_EQ(arrival->round, 2u);
  EXPECT_EQ(arrival->ordering_key, "order-7");
  EXPECT_EQ(arrival->sequence, 5u);
  EXPECT_EQ(arrival->after, 3u);
  EXPECT_TRUE(arrival->out_of_order);
  EXPECT_EQ(arrival->correlation_id, "c-1");
  EXPECT_EQ(arrival->entity_version, 9u);
  EXPECT_EQ(arrival->accepted_at, kNow);
  EXPECT_TRUE(arrival->ordered());
}

TEST(ReadArrival, takes_foreign_bodies_by_their_header_without_order) {
  for (const std::string_view body : {
           R"({"type":"invoice.paid","sequence":"third","delivery":7,"data":{}})",
           R"({"id":17,"ordering_key":"k","sequence":1})",
           R"([1,2])",
           R"("text")",
           "plain words",
           "",
       }) {
    const Result<Arrival> arrival = read_arrival(body, "msg_1", "shop");
    ASSERT_TRUE(arrival) << body;
    EXPECT_EQ(arrival->id, "msg_1") << body;
    EXPECT_EQ(arrival->type, "") << body;
    EXPECT_FALSE(arrival->ordered()) << body;
    EXPECT_FALSE(arrival->entity()) << body;
  }
}

TEST(ReadArrival, refuses_what_contradicts_itself) {
  for (const std::string_view body : {
           R"({"id":"evt_2"})",
           R"({"id":"evt_1","type":7})",
           R"({"id":"evt_1","sequence":0})",
           R"({"id":"evt_1","sequence":"1"})",
           R"({"id":"evt_1","sequence":1.5})",
           R"({"id":"evt_1","sequence":9007199254740992})",
           R"({"id":"evt_1","entity_version":-1})",
           R"({"id":"evt_1","accepted_at":"yesterday"})",
           R"({"id":"evt_1","delivery":"ep_1"})",
           R"({"id":"evt_1","sequence":2,"delivery":{"after":2}})",
           R"({"id":"evt_1","delivery":{"after":0}})",
           R"({"id":"evt_1","delivery":{"round":0}})",
           R"({"id":"evt_1","delivery":{"out_of_order":"yes"}})",
       }) {
    const Result<Arrival> arrival = read_arrival(body, "evt_1", "shop");
    ASSERT_FALSE(arrival) << body;
    EXPECT_EQ(arrival.error().fault, Fault::invalid) << body;
  }
}

}  // namespace
}  // namespace semel::inbox
