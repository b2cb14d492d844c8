// decide_test.cc: what becomes of single submissions: keys, ids, numbers, routing.
#include "core/intake/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/intake/item_of.h"
#include "core/intake/memory_view.h"

namespace semel::intake {
namespace {

using testing::ElementsAre;
using Why = Refuse::Why;

ItemOptions keyed(std::string key, std::string fresh_id = "evt_other") {
  return {.idempotency_key = std::move(key), .fresh_id = std::move(fresh_id)};
}

const Accept* accepted(const Decision& decision) { return std::get_if<Accept>(&decision); }

Why refusal(const Decision& decision) {
  const auto* refuse = std::get_if<Refuse>(&decision);
  SEMEL_CHECK(refuse != nullptr);
  return refuse->why;
}

std::string event(std::string_view ordering_key, std::string_view more = "", std::string_view type = "a") {
  return R"({"type":")" + std::string(type) + R"(","data":1,"ordering_key":")" + std::string(ordering_key) + "\"" +
         std::string(more) + "}";
}

struct DecideTest : testing::Test {
  MemoryView view;
};

using Record = DecideTest;

TEST_F(Record, a_fresh_submission_is_accepted_under_its_own_or_the_fresh_id) {
  const Decision own = view.submit(item_of(R"({"type":"a","data":1,"id":"mine"})"));
  EXPECT_EQ(accepted(own)->event.id.text, "mine");
  const Decision fresh = view.submit(item_of(R"({"type":"a","data":1})", {.fresh_id = "evt_7"}));
  EXPECT_EQ(accepted(fresh)->event.id.text, "evt_7");
  EXPECT_EQ(accepted(fresh)->event.envelope.bytes,
            "{\"id\":\"evt_7\",\"type\":\"a\",\"timestamp\":\"2026-11-30T07:45:51.123Z\","
            "\"accepted_at\":\"2026-11-30T07:45:51.123Z\",\"tenant\":\"default\",\"data\":1}");
}

TEST_F(Record, without_key_and_id_every_submission_is_another_event) {
  ASSERT_TRUE(accepted(view.submit(item_of(R"({"type":"a","data":1})", {.fresh_id = "evt_1"}))));
  EXPECT_TRUE(accepted(view.submit(item_of(R"({"type":"a","data":1})", {.fresh_id = "evt_2"}))));
}

// The rows of `POST /v1/events`: what was stored first, what comes next, and the answer.
TEST_F(Record, key_and_id_are_two_look_ups_of_one_record) {
  const std::string no_id = R"({"type":"a","data":1})";
  const std::string id_a = R"({"type":"a","data":1,"id":"A"})";
  const std::string id_b = R"({"type":"a","data":1,"id":"B"})";
  const std::string other = R"({"type":"a","data":2})";
  const std::string other_a = R"({"type":"a","data":2,"id":"A"})";
  const std::string respelled = R"( { "id" : "\u0041" , "data":1.0, "type":"a" } )";
  struct ReplayOf {
    std::string id;
    bool duplicate, bind_key;
    bool operator==(const ReplayOf&) const = default;
  };
  struct Row {
    const char* name;
    ItemOptions first_options;
    std::string first;
    ItemOptions next_options;
    std::string next;
    std::variant<ReplayOf, Why> expected;
  };
  const Row rows[] = {
      {"same key, same content", keyed("k", "evt_1"), no_id, keyed("k"), no_id, ReplayOf{"evt_1", false, false}},
      {"same key, same id", keyed("k"), id_a, keyed("k"), id_a, ReplayOf{"A", false, false}},
      {"same key, spelled otherwise", keyed("k"), id_a, keyed("k"), respelled, ReplayOf{"A", false, false}},
      {"same key, id left out", keyed("k"), id_a, keyed("k"), no_id, ReplayOf{"A", false, false}},
      {"same key, id of its event given", keyed("k", "A"), no_id, keyed("k"), id_a, ReplayOf{"A", false, false}},
      {"same key, another id", keyed("k"), id_a, keyed("k"), id_b, Why::key_reused},
      {"same key, an id where none was", keyed("k", "evt_1"), no_id, keyed("k"), id_a, Why::key_reused},
      {"same key, other content", keyed("k"), no_id, keyed("k"), other, Why::key_reused},
      {"same key, same id, other content", keyed("k"), id_a, keyed("k"), other_a, Why::key_reused},
      {"new key, known id", keyed("k"), id_a, keyed("l"), id_a, ReplayOf{"A", true, true}},
      {"first key, known id", {}, id_a, keyed("k"), id_a, ReplayOf{"A", true, true}},
      {"no key, known id", keyed("k"), id_a, {}, id_a, ReplayOf{"A", true, false}},
      {"new key, known id, other content", keyed("k"), id_a, keyed("l"), other_a, Why::id_reused},
      {"no key, known id, other content", {}, id_a, {}, other_a, Why::id_reused},
  };
  for (const Row& row : rows) {
    MemoryView fresh_view;
    ASSERT_TRUE(accepted(fresh_view.submit(item_of(row.first, row.first_options)))) << row.name;
    const Decision decision = fresh_view.submit(item_of(row.next, row.next_options));
    match(
        decision, [&](const Accept&) { ADD_FAILURE() << row.name << ": accepted"; },
        [&](const Replay& replay) {
          const ReplayOf seen{replay.event.id.text, replay.duplicate, replay.bind_key};
          EXPECT_EQ((std::variant<ReplayOf, Why>(seen)), row.expected) << row.name;
        },
        [&](const Refuse& refuse) { EXPECT_EQ((std::variant<ReplayOf, Why>(refuse.why)), row.expected) << row.name; });
    EXPECT_EQ(fresh_view.events.size(), 1u) << row.name;
  }
}

TEST_F(Record, a_key_bound_to_a_duplicate_goes_on_answering_duplicate) {
  const std::string json = R"({"type":"a","data":1,"id":"A"})";
  view.submit(item_of(json, keyed("first")));
  view.submit(item_of(json, keyed("second")));
  EXPECT_FALSE(std::get<Replay>(view.submit(item_of(json, keyed("first")))).duplicate);
  const Decision again = view.submit(item_of(json, keyed("second")));
  EXPECT_TRUE(std::get<Replay>(again).duplicate);
  EXPECT_FALSE(std::get<Replay>(again).bind_key);
}

TEST_F(Record, the_key_is_asked_before_the_id) {
  view.submit(item_of(R"({"type":"a","data":1,"id":"A"})", keyed("a")));
  view.submit(item_of(R"({"type":"a","data":1,"id":"B"})", keyed("b")));
  EXPECT_EQ(refusal(view.submit(item_of(R"({"type":"a","data":1,"id":"B"})", keyed("a")))), Why::key_reused);
}

TEST_F(Record, a_replay_is_answered_as_it_was_whatever_has_changed_since) {
  view.table.subscriptions = {{.endpoint = {1}, .patterns = {"*"}}};
  const std::string json = event("k", R"(,"id":"A")");
  view.submit(item_of(json, {.accepted_at = {1000}}));
  view.submit(item_of(event("k", R"(,"id":"B")"), {.accepted_at = {2000}}));
  view.table.subscriptions.clear();
  view.table.allowed_event_types.clear();
  const Decision again = view.submit(item_of(json, {.accepted_at = {3000}}));
  const auto& replay = std::get<Replay>(again);
  EXPECT_EQ(replay.event.sequence, 1u);
  EXPECT_EQ(replay.event.accepted_at, WallTime{1000});
  EXPECT_THAT(replay.event.endpoints, ElementsAre(EndpointId{"ep_1"}));
}

using Numbering = DecideTest;

TEST_F(Numbering, semel_counts_from_1_per_ordering_key) {
  for (const Sequence expected : {1u, 2u, 3u}) {
    const Decision decision = view.submit(item_of(event("k"), {.fresh_id = "evt_" + std::to_string(expected)}));
    EXPECT_EQ(accepted(decision)->event.sequence, expected);
    EXPECT_EQ(accepted(decision)->event.first_of_line, expected == 1 ? std::optional(NumberedBy::semel) : std::nullopt);
  }
  EXPECT_EQ(accepted(view.submit(item_of(event("other"))))->event.sequence, 1u);
  const Decision unordered = view.submit(item_of(R"({"type":"a","data":1})", {.fresh_id = "evt_9"}));
  EXPECT_EQ(accepted(unordered)->event.sequence, std::nullopt);
  EXPECT_EQ(accepted(unordered)->event.first_of_line, std::nullopt);
}

TEST_F(Numbering, a_producer_goes_on_with_the_next_number_only) {
  struct Row {
    std::string more;
    std::variant<Sequence, Refuse> expected;
  };
  const auto gap = [](Sequence expected) { return Refuse{Why::sequence_gap, expected}; };
  const struct {
    const char* name;
    std::vector<Row> rows;
  } cases[] = {
      {"from 1",
       {{R"(,"sequence":2)", gap(1)},
        {R"(,"sequence":1)", Sequence{1}},
        {R"(,"sequence":1,"sequence_start":false)", gap(2)},
        {R"(,"sequence":3)", gap(2)},
        {R"(,"sequence":2)", Sequence{2}},
        {"", Refuse{Why::sequence_missing, std::nullopt}},
        {R"(,"sequence":9,"sequence_start":true)", gap(3)},
        {R"(,"sequence":3)", Sequence{3}}}},
      {"from a start of its own",
       {{R"(,"sequence":41,"sequence_start":true)", Sequence{41}},
        {R"(,"sequence":1)", gap(42)},
        {R"(,"sequence":42)", Sequence{42}}}},
      {"numbered by semel",
       {{"", Sequence{1}},
        {R"(,"sequence":2)", Refuse{Why::sequence_not_taken, std::nullopt}},
        {R"(,"sequence":2,"sequence_start":true)", Refuse{Why::sequence_not_taken, std::nullopt}},
        {"", Sequence{2}}}},
      {"up to the highest number",
       {{R"(,"sequence":9007199254740991,"sequence_start":true)", Sequence{9007199254740991}},
        {R"(,"sequence":1)", gap(9007199254740992)}}},
  };
  for (const auto& each : cases) {
    MemoryView fresh_view;
    int count = 0;
    for (const Row& row : each.rows) {
      const std::size_t stored = fresh_view.events.size();
      const Decision decision =
          fresh_view.submit(item_of(event("k", row.more), {.fresh_id = "evt_" + std::to_string(++count)}));
      match(
          row.expected,
          [&](Sequence sequence) {
            ASSERT_TRUE(accepted(decision)) << each.name << row.more;
            EXPECT_EQ(accepted(decision)->event.sequence, sequence) << each.name << row.more;
          },
          [&](const Refuse& expected) {
            const auto* refuse = std::get_if<Refuse>(&decision);
            ASSERT_NE(refuse, nullptr) << each.name << row.more;
            EXPECT_EQ(refuse->why, expected.why) << each.name << row.more;
            EXPECT_EQ(refuse->expected, expected.expected) << each.name << row.more;
            EXPECT_EQ(fresh_view.events.size(), stored) << each.name << row.more;
          });
    }
  }
}

TEST_F(Numbering, a_retry_of_an_old_number_is_a_duplicate_not_a_gap) {
  view.submit(item_of(event("k", R"(,"sequence":1,"id":"A")")));
  view.submit(item_of(event("k", R"(,"sequence":2,"id":"B")")));
  const Decision again = view.submit(item_of(event("k", R"(,"sequence":1,"id":"A")")));
  EXPECT_TRUE(std::get<Replay>(again).duplicate);
  EXPECT_EQ(refusal(view.submit(item_of(event("k", R"(,"sequence":3,"id":"A")")))), Why::id_reused);
}

TEST_F(Numbering, a_key_whose_request_was_refused_is_still_free) {
  EXPECT_EQ(refusal(view.submit(item_of(event("k", R"(,"sequence":2)"), keyed("i")))), Why::sequence_gap);
  EXPECT_TRUE(accepted(view.submit(item_of(event("k", R"(,"sequence":1)"), keyed("i")))));
}

using FanOut = DecideTest;

TEST_F(FanOut, after_is_the_event_before_this_one_on_this_endpoint_and_key) {
  view.table.subscriptions = {{.endpoint = {1}, .patterns = {"*"}}, {.endpoint = {2}, .patterns = {"b"}}};
  const struct {
    const char *key, *type;
    std::vector<std::pair<int, Sequence>> after;  // by endpoint
  } rows[] = {
      {"k", "a", {{1, 0}}}, {"k", "b", {{1, 1}, {2, 0}}}, {"m", "b", {{1, 0}, {2, 0}}},
      {"k", "a", {{1, 2}}}, {"k", "b", {{1, 3}, {2, 2}}}, {"m", "a", {{1, 1}}},
  };
  int count = 0;
  for (const auto& row : rows) {
    const std::string id = "evt_" + std::to_string(++count);
    const Decision decision = view.submit(item_of(event(row.key, "", row.type), {.fresh_id = id}));
    std::vector<std::pair<int, Sequence>> after;
    for (const NewDelivery& made : accepted(decision)->event.deliveries)
      after.emplace_back(static_cast<int>(made.endpoint.value), made.after.value());
    EXPECT_EQ(after, row.after) << id;
  }
}

TEST_F(FanOut, a_late_subscriber_waits_for_nothing) {
  view.submit(item_of(event("k"), {.fresh_id = "evt_1"}));
  view.table.subscriptions = {{.endpoint = {1}, .patterns = {"*"}}};
  const Decision decision = view.submit(item_of(event("k"), {.fresh_id = "evt_2"}));
  EXPECT_EQ(accepted(decision)->event.sequence, 2u);
  EXPECT_EQ(accepted(decision)->event.deliveries.at(0).after, 0u);
}

TEST_F(FanOut, without_an_ordering_key_there_is_no_after) {
  view.table.subscriptions = {{.endpoint = {1}, .patterns = {"*"}}};
  const Decision decision = view.submit(item_of(R"({"type":"a","data":1})"));
  ASSERT_EQ(accepted(decision)->event.deliveries.size(), 1u);
  EXPECT_EQ(accepted(decision)->event.deliveries[0].after, std::nullopt);
}

TEST_F(FanOut, an_event_nobody_takes_is_accepted_all_the_same) {
  view.table.subscriptions = {{.endpoint = {1}, .patterns = {"b"}}};
  const Decision decision = view.submit(item_of(R"({"type":"a","data":1})"));
  ASSERT_TRUE(accepted(decision));
  EXPECT_TRUE(accepted(decision)->event.deliveries.empty());
}

}  // namespace
}  // namespace semel::intake
