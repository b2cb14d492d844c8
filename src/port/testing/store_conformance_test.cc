// store_conformance_test.cc: what every store promises through port/store.h, whatever it is made of.
#include "port/testing/store_conformance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/delivery/step.h"
#include "core/endpoint/config.h"
#include "core/intake/item_of.h"
#include "port/testing/start_of.h"

namespace semel::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr TenantKey kTenant{1};
constexpr WallTime kNow{1'796'024'751'000};

endpoint::Config config_with(endpoint::Ordering ordering) {
  auto url = egress::read_url("https://shop.example/hook");
  SEMEL_CHECK(url.has_value());
  endpoint::Config config{.url = *url};
  config.ordering = ordering;
  return config;
}

class StoreConformance : public testing::TestWithParam<StoreKind> {
 protected:
  std::unique_ptr<Subject> subject_ = GetParam().make();

  std::vector<CommitAnswer> commit_group(std::vector<WriteSet> group) {
    std::vector<std::optional<CommitAnswer>> given(group.size());
    for (std::size_t i = 0; i < group.size(); ++i)
      subject_->store().start_commit(std::move(group[i]),
                                     [&given, i](CommitAnswer answer) { given[i] = std::move(answer); });
    subject_->drain();
    std::vector<CommitAnswer> answers;
    for (auto& answer : given) answers.push_back(std::move(answer).value());
    return answers;
  }
  CommitAnswer commit(WriteSet write_set) {
    std::vector<WriteSet> group;
    group.push_back(std::move(write_set));
    return std::move(commit_group(std::move(group)).front());
  }
  bool committed(WriteSet write_set) { return std::holds_alternative<Committed>(commit(std::move(write_set))); }
  bool conflicts(WriteSet write_set) { return std::holds_alternative<Conflict>(commit(std::move(write_set))); }
  std::optional<Fault> refusal(WriteSet write_set) {
    const CommitAnswer answer = commit(std::move(write_set));
    const auto* refused = std::get_if<Refused>(&answer);
    return refused ? std::optional(refused->error.fault) : std::nullopt;
  }

  // The value of a read that must succeed.
  template <class F>
  auto read(F query) {
    std::optional<std::invoke_result_t<F, StoreReader&>> answer;
    subject_->store().start_reading([&](StoreReader& reader) { answer.emplace(query(reader)); }, [](Nothing) {});
    subject_->drain();
    return answer.value().value();
  }

  Endpoint make_endpoint(const std::string& id, endpoint::Ordering ordering = endpoint::Ordering::per_key,
                         std::vector<std::string> event_types = {"*"}) {
    CommitAnswer answer = commit(
        CreateEndpoint{.tenant = kTenant,
                       .id = {id},
                       .config_json = endpoint::config_json(config_with(ordering)),
                       .sealed_secret = "sealed",
                       .now = kNow,
                       .subscription = CreateEndpoint::FirstSubscription{{"sub_of_" + id}, std::move(event_types)}});
    return std::get<Endpoint>(std::get<Committed>(answer).made);
  }

  static Intake intake_of(std::vector<std::string> events, std::optional<std::string> key = std::nullopt) {
    static int fresh = 0;
    Intake intake{.tenant = kTenant, .client = "shop", .items = {}, .batch_key = {}};
    for (const std::string& json : events)
      intake.items.push_back(intake::item_of(
          json, {.idempotency_key = key, .fresh_id = "evt_" + std::to_string(++fresh), .accepted_at = kNow}));
    return intake;
  }
  static Intake batch_of(std::vector<std::string> events, const std::string& key, std::uint8_t content) {
    Intake intake = intake_of(std::move(events));
    for (std::size_t i = 0; i < intake.items.size(); ++i) intake.items[i].position = i;
    intake.batch_key = Intake::BatchKey{idempotency::hash_key({key}), {content}};
    return intake;
  }
  static IntakeAnswer intake_answer(const CommitAnswer& answer) {
    return std::get<IntakeAnswer>(std::get<Committed>(answer).made);
  }
  Taken take(const std::string& json, std::optional<std::string> key = std::nullopt) {
    return std::get<Taken>(intake_answer(commit(intake_of({json}, std::move(key)))).items.at(0));
  }
  static std::vector<std::string> words(const IntakeAnswer& answer) {
    std::vector<std::string> words;
    for (const ItemAnswer& item : answer.items)
      words.push_back(std::holds_alternative<Taken>(item)
                          ? (std::get<Taken>(item).replayed ? "again" : "taken")
                          : "refused " + std::to_string(static_cast<int>(std::get<intake::Refuse>(item).why)));
    return words;
  }

  StartAttempt start_of(const Delivery& delivery, Version endpoint_version) {
    return store::start_of(delivery, subject_->store().fence(), endpoint_version, kNow);
  }
  SettleAttempt settle_of(const Delivery& in_flight, delivery::State next, std::string result) {
    delivery::Record record = in_flight.record;
    record.progress.counted = record.attempts;
    return {.tenant = in_flight.tenant,
            .fence = subject_->store().fence(),
            .endpoint = in_flight.endpoint,
            .delivery = in_flight.key,
            .version = in_flight.version,
            .attempt = in_flight.record.attempts,
            .outcome = {.at = kNow, .result = std::move(result), .failure = {}, .http_status = 200, .reason = ""},
            .state = std::move(next),
            .record = record,
            .endpoint_wait = {}};
  }
  Delivery stored(DeliveryKey key) {
    return read([&](StoreReader& reader) { return reader.delivery(key); }).value();
  }
  // Runs one attempt to `next` and returns the row as it stands then.
  Delivery attempt_into(const Delivery& delivery, delivery::State next, const std::string& result) {
    const Version endpoint_version =
        read([&](StoreReader& reader) { return reader.endpoint(delivery.endpoint); }).value().version;
    EXPECT_TRUE(committed(start_of(delivery, endpoint_version)));
    EXPECT_TRUE(committed(settle_of(stored(delivery.key), std::move(next), result)));
    return stored(delivery.key);
  }
};

std::string event(const std::string& members = "") {
  return R"({"type":"shipment.sent","data":{"n":1})" + (members.empty() ? "" : "," + members) + "}";
}

// ---- intake ----

TEST_P(StoreConformance, submissions_of_one_key_queued_together_get_sequences_without_holes) {
  make_endpoint("ep_a");
  std::vector<WriteSet> group;
  for (int i = 0; i < 64; ++i) group.emplace_back(intake_of({event(R"("ordering_key":"k")")}));
  const std::vector<CommitAnswer> answers = commit_group(std::move(group));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Taken taken = std::get<Taken>(intake_answer(answers[i]).items.at(0));
    EXPECT_EQ(taken.sequence, i + 1);
    ASSERT_THAT(taken.fresh, SizeIs(1));
    EXPECT_EQ(taken.fresh[0].after, i);
  }
  subject_->reopen();
  EXPECT_EQ(take(event(R"("ordering_key":"k")")).sequence, 65u);
  EXPECT_EQ(take(event(R"("ordering_key":"other")")).sequence, 1u);
}

TEST_P(StoreConformance, a_refused_submission_of_a_group_moves_no_counter) {
  const std::vector<CommitAnswer> answers = [&] {
    std::vector<WriteSet> group;
    group.emplace_back(intake_of({event(R"("ordering_key":"p","sequence":1)")}));
    group.emplace_back(intake_of({event(R"("ordering_key":"p","sequence":3)")}));
    group.emplace_back(intake_of({event(R"("ordering_key":"p","sequence":2)")}));
    return commit_group(std::move(group));
  }();
  EXPECT_THAT(words(intake_answer(answers[0])), ElementsAre("taken"));
  const auto refused = std::get<intake::Refuse>(intake_answer(answers[1]).items.at(0));
  EXPECT_EQ(refused.why, intake::Refuse::Why::sequence_gap);
  EXPECT_EQ(refused.expected, 2u);
  EXPECT_THAT(words(intake_answer(answers[2])), ElementsAre("taken"));
}

TEST_P(StoreConformance, what_was_taken_can_be_read_as_it_was_answered) {
  const Endpoint endpoint = make_endpoint("ep_a");
  make_endpoint("ep_b", endpoint::Ordering::none, {"invoice.*"});
  const Taken taken = take(event(R"("id":"e1","ordering_key":"k","correlation_id":"c1")"));
  EXPECT_EQ(taken.id.text, "e1");
  EXPECT_THAT(taken.endpoints, ElementsAre(EndpointId{"ep_a"}));
  EXPECT_FALSE(taken.duplicate || taken.replayed);
  ASSERT_TRUE(taken.body);
  EXPECT_EQ(taken.body->envelope.substr(taken.body->data_offset), R"("data":{"n":1}})");

  const auto view = read([](StoreReader& reader) { return reader.event(kTenant, {"e1"}); }).value();
  EXPECT_EQ(view.envelope, taken.body->envelope);
  EXPECT_EQ(view.ordering_key, "k");
  EXPECT_EQ(view.correlation_id, "c1");
  EXPECT_EQ(view.sequence, 1u);
  const auto bodies = read([&](StoreReader& reader) { return reader.event_bodies({taken.body->key, EventKey{99}}); });
  ASSERT_THAT(bodies, SizeIs(1));
  EXPECT_EQ(bodies[0].envelope, taken.body->envelope);
  EXPECT_EQ(bodies[0].data_offset, taken.body->data_offset);
  EXPECT_EQ(bodies[0].type, "shipment.sent");

  const auto delivery =
      read([](StoreReader& reader) { return reader.delivery(kTenant, DeliveryId{{"e1"}, {"ep_a"}}); }).value();
  EXPECT_EQ(delivery.key, taken.fresh[0].key);
  EXPECT_EQ(delivery.endpoint, endpoint.key);
  EXPECT_EQ(delivery.event_type, "shipment.sent");
  EXPECT_EQ(std::get<delivery::Due>(delivery.state).at, kNow);
  EXPECT_FALSE(read([](StoreReader& reader) { return reader.delivery(kTenant, DeliveryId{{"e1"}, {"ep_b"}}); }));
}

TEST_P(StoreConformance, an_event_that_matches_nothing_is_stored_without_deliveries) {
  make_endpoint("ep_a", endpoint::Ordering::none, {"invoice.*"});
  EXPECT_THAT(take(event(R"("id":"e1")")).endpoints, IsEmpty());
  EXPECT_TRUE(read([](StoreReader& reader) { return reader.event(kTenant, {"e1"}); }));
}

TEST_P(StoreConformance, a_key_that_comes_again_gets_the_first_answer_also_after_a_restart) {
  make_endpoint("ep_a");
  const Taken first = take(event(R"("ordering_key":"k")"), "key-1");
  make_endpoint("ep_later");
  subject_->reopen();
  const Taken again = take(event(R"("ordering_key":"k")"), "key-1");
  EXPECT_TRUE(again.replayed);
  EXPECT_FALSE(again.duplicate);
  EXPECT_EQ(again.id, first.id);
  EXPECT_EQ(again.sequence, first.sequence);
  EXPECT_THAT(again.endpoints, ElementsAre(EndpointId{"ep_a"}));
  EXPECT_THAT(again.fresh, IsEmpty());
}

TEST_P(StoreConformance, a_key_with_other_content_is_refused_and_stores_nothing) {
  take(event(), "key-1");
  const IntakeAnswer answer = intake_answer(commit(intake_of({R"({"type":"shipment.sent","data":{"n":2}})"}, "key-1")));
  EXPECT_EQ(std::get<intake::Refuse>(answer.items.at(0)).why, intake::Refuse::Why::key_reused);
  EXPECT_THAT(read([](StoreReader& reader) { return reader.events({.tenant = kTenant}); }), SizeIs(1));
}

TEST_P(StoreConformance, a_key_belongs_to_its_caller) {
  const Taken first = take(event(), "key-1");
  Intake other = intake_of({event()}, "key-1");
  other.client = "billing";
  const IntakeAnswer answer = intake_answer(commit(std::move(other)));
  EXPECT_NE(std::get<Taken>(answer.items.at(0)).id, first.id);
}

TEST_P(StoreConformance, two_of_one_key_in_one_group_make_one_event) {
  std::vector<WriteSet> group;
  group.emplace_back(intake_of({event()}, "key-1"));
  group.emplace_back(intake_of({event()}, "key-1"));
  const std::vector<CommitAnswer> answers = commit_group(std::move(group));
  const Taken first = std::get<Taken>(intake_answer(answers[0]).items.at(0));
  const Taken second = std::get<Taken>(intake_answer(answers[1]).items.at(0));
  EXPECT_EQ(first.id, second.id);
  EXPECT_TRUE(second.replayed);
}

TEST_P(StoreConformance, a_new_key_of_a_known_id_is_bound_to_that_event) {
  take(event(R"("id":"e1")"));
  const Taken bound = take(event(R"("id":"e1")"), "key-1");
  EXPECT_TRUE(bound.duplicate && bound.replayed);
  const Taken by_key = take(event(), "key-1");  // the same content without its id
  EXPECT_EQ(by_key.id.text, "e1");
  EXPECT_TRUE(by_key.duplicate && by_key.replayed);
}

TEST_P(StoreConformance, an_intake_that_comes_late_behind_its_own_repetition_makes_no_second_event) {
  make_endpoint("ep_a");
  const std::vector<Intake> late = {intake_of({event()}, "key-1"), intake_of({event(R"("id":"e1")")}),
                                    intake_of({event(R"("ordering_key":"k")")})};
  take(event(), "key-1");
  take(event(R"("id":"e1")"));
  // Its producer was told the id that was drawn for it, and names that in the repetition.
  take(event(R"("ordering_key":"k","id":")" + late[2].items.at(0).fresh_id.text + R"(")"));
  EXPECT_THAT(words(intake_answer(commit(late[0]))), ElementsAre("again"));
  EXPECT_THAT(words(intake_answer(commit(late[1]))), ElementsAre("again"));
  EXPECT_EQ(refusal(late[2]), Fault::corrupt);
  EXPECT_THAT(read([](StoreReader& reader) { return reader.events({.tenant = kTenant}); }), SizeIs(3));
  EXPECT_THAT(read([](StoreReader& reader) { return reader.deliveries({.tenant = kTenant}); }), SizeIs(3));
  EXPECT_EQ(take(event(R"("ordering_key":"k")")).sequence, 2u);
}

TEST_P(StoreConformance, an_intake_that_breaks_a_rule_of_the_store_leaves_nothing) {
  make_endpoint("ep_a");
  const Taken first = take(event(R"("ordering_key":"k")"));
  Intake same_id = intake_of({event(R"("ordering_key":"k")"), event(R"("ordering_key":"new")"), event()}, "key-1");
  same_id.items[1].key = idempotency::hash_key({"key-2"});
  same_id.items[2].key.reset();
  same_id.items[2].fresh_id = first.id;
  EXPECT_EQ(refusal(same_id), Fault::corrupt);
  Intake same_position = batch_of({event(R"("ordering_key":"k")"), event(R"("ordering_key":"k")")}, "b", 1);
  same_position.items[1].position = 0;
  EXPECT_EQ(refusal(same_position), Fault::corrupt);

  EXPECT_THAT(read([](StoreReader& reader) { return reader.events({.tenant = kTenant}); }), SizeIs(1));
  EXPECT_THAT(read([](StoreReader& reader) { return reader.deliveries({.tenant = kTenant}); }), SizeIs(1));
  const Taken next = take(event(R"("ordering_key":"k")"), "key-1");
  EXPECT_FALSE(next.replayed);
  EXPECT_EQ(next.sequence, 2u);
  EXPECT_EQ(next.fresh.at(0).after, 1u);
  EXPECT_EQ(take(event(R"("ordering_key":"new")"), "key-2").sequence, 1u);
  EXPECT_THAT(words(intake_answer(commit(batch_of({event()}, "b", 2)))), ElementsAre("taken"));
}

// ---- batches ----

TEST_P(StoreConformance, after_a_refused_item_later_ones_of_its_ordering_key_wait_for_it) {
  take(event(R"("ordering_key":"p","sequence":1)"));
  const IntakeAnswer answer = intake_answer(commit(intake_of({
      event(R"("ordering_key":"p","sequence":5)"),
      event(R"("ordering_key":"p","sequence":2)"),
      event(R"("ordering_key":"q")"),
  })));
  EXPECT_THAT(words(answer), ElementsAre("refused 2", "refused 5", "taken"));
}

TEST_P(StoreConformance, a_batch_that_comes_again_is_answered_as_the_first_time) {
  make_endpoint("ep_a");
  const std::vector<std::string> events = {event(R"("ordering_key":"k")"), event(R"("ordering_key":"k")")};
  const IntakeAnswer first = intake_answer(commit(batch_of(events, "b", 1)));
  EXPECT_THAT(words(first), ElementsAre("taken", "taken"));
  EXPECT_FALSE(first.batch_replayed);
  subject_->reopen();
  const IntakeAnswer again = intake_answer(commit(batch_of(events, "b", 1)));
  EXPECT_TRUE(again.batch_replayed);
  EXPECT_THAT(words(again), ElementsAre("again", "again"));
  EXPECT_EQ(std::get<Taken>(again.items[1]).sequence, 2u);
  EXPECT_FALSE(std::get<Taken>(again.items[1]).duplicate);
  EXPECT_THAT(read([](StoreReader& reader) { return reader.events({.tenant = kTenant}); }), SizeIs(2));
}

TEST_P(StoreConformance, a_batch_key_with_other_content_stores_nothing) {
  commit(batch_of({event()}, "b", 1));
  const IntakeAnswer answer = intake_answer(commit(batch_of({event(), event()}, "b", 2)));
  EXPECT_TRUE(answer.batch_key_reused);
  EXPECT_THAT(answer.items, IsEmpty());
  EXPECT_THAT(read([](StoreReader& reader) { return reader.events({.tenant = kTenant}); }), SizeIs(1));
}

TEST_P(StoreConformance, final_refusals_of_a_batch_stand_and_the_others_are_judged_again) {
  take(event(R"("id":"e1")"));
  const std::vector<std::string> events = {
      R"({"type":"shipment.sent","data":{"n":2},"id":"e1","ordering_key":"k"})",  // e1 says something else: final
      event(R"("id":"e2","ordering_key":"k")"),                                   // waits for it
      event(R"("id":"e3")"),
  };
  EXPECT_THAT(words(intake_answer(commit(batch_of(events, "b", 1)))), ElementsAre("refused 1", "refused 5", "taken"));
  // Meanwhile the second got in by itself; the retry finds it, and the first stays refused.
  take(events[1]);
  const IntakeAnswer again = intake_answer(commit(batch_of(events, "b", 1)));
  EXPECT_THAT(words(again), ElementsAre("refused 1", "again", "again"));
  EXPECT_FALSE(again.batch_replayed);
}

// ---- attempts ----

TEST_P(StoreConformance, an_attempt_starts_and_settles_and_each_raises_the_version_by_one) {
  const Endpoint endpoint = make_endpoint("ep_a");
  const Delivery fresh = take(event(R"("ordering_key":"k")")).fresh.at(0);
  ASSERT_TRUE(committed(start_of(fresh, endpoint.version)));
  const Delivery flying = stored(fresh.key);
  EXPECT_EQ(flying.version.value, 2);
  EXPECT_EQ(std::get<delivery::InFlight>(flying.state).attempt, 1u);
  EXPECT_TRUE(std::get<delivery::InFlight>(flying.state).counts);
  EXPECT_THAT(read([&](StoreReader& r) { return r.attempts(fresh.key); }).at(0).outcomes, IsEmpty());

  SettleAttempt settle = settle_of(flying, delivery::Due{kNow + milliseconds(5)}, "retry");
  settle.outcome.failure = FailureClass::throttled;
  settle.outcome.http_status = 503;
  settle.outcome.reason = "busy";
  settle.record.unsettled = true;
  settle.record.progress.last_delay = milliseconds(250);
  settle.endpoint_wait = admission::Wait{kNow + milliseconds(1'000), milliseconds(1'000)};
  ASSERT_TRUE(committed(settle));
  const Delivery settled = stored(fresh.key);
  EXPECT_EQ(settled.version.value, 3);
  EXPECT_EQ(std::get<delivery::Due>(settled.state).at, kNow + milliseconds(5));
  EXPECT_EQ(settled.record.progress.counted, 1u);
  EXPECT_EQ(settled.record.progress.clock_origin, kNow);
  EXPECT_EQ(settled.record.progress.last_delay, milliseconds(250));
  EXPECT_TRUE(settled.record.unsettled);
  const auto attempts = read([&](StoreReader& r) { return r.attempts(fresh.key); });
  ASSERT_THAT(attempts, SizeIs(1));
  ASSERT_THAT(attempts[0].outcomes, SizeIs(1));
  EXPECT_EQ(attempts[0].outcomes[0].failure, FailureClass::throttled);
  EXPECT_EQ(attempts[0].outcomes[0].http_status, 503);
  EXPECT_EQ(attempts[0].outcomes[0].reason, "busy");
  subject_->reopen();
  const auto wait = read([&](StoreReader& r) { return r.endpoint(endpoint.key); }).value().wait;
  EXPECT_EQ(wait.value().until, kNow + milliseconds(1'000));
}

TEST_P(StoreConformance, every_state_and_record_is_read_as_it_was_stored) {
  make_endpoint("ep_a");
  const Delivery fresh = take(event()).fresh.at(0);
  Delivery row = attempt_into(fresh, delivery::Unknown{kNow, true}, "unknown");
  EXPECT_TRUE(std::get<delivery::Unknown>(row.state).extra_attempt);

  SettleAttempt parked = [&] {
    EXPECT_TRUE(committed(start_of(row, Version{1})));
    return settle_of(stored(row.key), delivery::Parked{kNow + milliseconds(30'000)}, "parked");
  }();
  parked.record.parked_since = kNow;
  parked.record.parked_asks = 2;
  ASSERT_TRUE(committed(parked));
  row = stored(row.key);
  EXPECT_EQ(std::get<delivery::Parked>(row.state).ask_at, kNow + milliseconds(30'000));
  EXPECT_EQ(row.record.parked_since, kNow);
  EXPECT_EQ(row.record.parked_asks, 2u);

  row = attempt_into(row, delivery::Dead{kNow, "attempts_exhausted"}, "dead");
  EXPECT_EQ(std::get<delivery::Dead>(row.state).reason, "attempts_exhausted");

  delivery::Record next_round = row.record;
  next_round.round = 2;
  next_round.parked_since.reset();
  next_round.parked_asks = 0;
  ASSERT_TRUE(committed(ChangeDelivery{kTenant, subject_->store().fence(), row.endpoint, row.key, row.version,
                                       delivery::Due{kNow}, next_round}));
  row = stored(row.key);
  EXPECT_EQ(row.record.round, 2u);
  EXPECT_EQ(row.record.attempts, 3u);

  SettleAttempt delivered = [&] {
    EXPECT_TRUE(committed(start_of(row, Version{1})));
    return settle_of(stored(row.key), delivery::Delivered{kNow}, "delivered");
  }();
  delivered.record.first_delivered_at = kNow;
  ASSERT_TRUE(committed(delivered));
  EXPECT_EQ(std::get<delivery::Delivered>(stored(row.key).state).at, kNow);
  EXPECT_EQ(stored(row.key).record.first_delivered_at, kNow);
}

TEST_P(StoreConformance, whoever_carries_an_older_fence_or_version_changes_nothing) {
  const Endpoint endpoint = make_endpoint("ep_a");
  const Delivery fresh = take(event()).fresh.at(0);
  const auto with = [&](auto change) {
    StartAttempt start = start_of(fresh, endpoint.version);
    change(start);
    return start;
  };
  const Fence old_fence{subject_->store().fence().value - 1};
  EXPECT_TRUE(conflicts(with([&](StartAttempt& s) { s.fence = old_fence; })));
  EXPECT_TRUE(conflicts(with([](StartAttempt& s) { s.version = Version{2}; })));
  EXPECT_TRUE(conflicts(with([](StartAttempt& s) { s.endpoint_version = Version{9}; })));
  EXPECT_TRUE(conflicts(with([](StartAttempt& s) { s.tenant = TenantKey{2}; })));
  EXPECT_EQ(stored(fresh.key).version.value, 1);
  EXPECT_THAT(read([&](StoreReader& r) { return r.attempts(fresh.key); }), IsEmpty());

  ASSERT_TRUE(committed(start_of(fresh, endpoint.version)));
  EXPECT_TRUE(conflicts(start_of(fresh, endpoint.version)));  // told twice
  SettleAttempt settle = settle_of(stored(fresh.key), delivery::Delivered{kNow}, "delivered");
  SettleAttempt stale = settle;
  stale.fence = old_fence;
  EXPECT_TRUE(conflicts(stale));
  stale = settle;
  stale.version = Version{1};
  stale.endpoint_wait = admission::Wait{kNow, milliseconds(1)};
  EXPECT_TRUE(conflicts(stale));
  EXPECT_FALSE(read([&](StoreReader& r) { return r.endpoint(endpoint.key); }).value().wait);
  EXPECT_THAT(read([&](StoreReader& r) { return r.attempts(fresh.key); }).at(0).outcomes, IsEmpty());
  EXPECT_TRUE(committed(settle));
  EXPECT_TRUE(
      conflicts(ChangeDelivery{kTenant, old_fence, endpoint.key, fresh.key, Version{3}, delivery::Due{kNow}, {}}));
}

TEST_P(StoreConformance, nothing_of_a_deleted_endpoint_opens_again) {
  const Endpoint endpoint = make_endpoint("ep_a");
  const Delivery fresh = take(event()).fresh.at(0);
  ASSERT_TRUE(committed(DeleteEndpoint{kTenant, endpoint.id, kNow}));
  const Delivery cancelled = stored(fresh.key);
  EXPECT_TRUE(conflicts(ChangeDelivery{kTenant, subject_->store().fence(), endpoint.key, cancelled.key,
                                       cancelled.version, delivery::Due{kNow}, cancelled.record}));
  EXPECT_TRUE(std::holds_alternative<delivery::Cancelled>(stored(fresh.key).state));
}

TEST_P(StoreConformance, a_later_owner_has_a_higher_fence_and_the_former_one_is_too_late) {
  const Endpoint endpoint = make_endpoint("ep_a");
  const Delivery fresh = take(event()).fresh.at(0);
  const StartAttempt former = start_of(fresh, endpoint.version);
  subject_->reopen();
  EXPECT_GT(subject_->store().fence(), former.fence);
  EXPECT_TRUE(conflicts(former));
  EXPECT_TRUE(committed(start_of(fresh, endpoint.version)));
}

TEST_P(StoreConformance, two_that_start_the_same_attempt_in_one_group_get_one_commit_and_one_conflict) {
  const Endpoint endpoint = make_endpoint("ep_a");
  const Delivery fresh = take(event()).fresh.at(0);
  std::vector<WriteSet> group;
  group.emplace_back(start_of(fresh, endpoint.version));
  group.emplace_back(start_of(fresh, endpoint.version));
  const std::vector<CommitAnswer> answers = commit_group(std::move(group));
  EXPECT_TRUE(std::holds_alternative<Committed>(answers[0]));
  EXPECT_TRUE(std::holds_alternative<Conflict>(answers[1]));
}

TEST_P(StoreConformance, an_attempt_sealed_before_a_subscription_changed_conflicts) {
  const Endpoint endpoint = make_endpoint("ep_a");
  const Delivery before = take(event()).fresh.at(0);
  const Delivery after = take(event()).fresh.at(0);
  std::vector<WriteSet> group;
  group.emplace_back(start_of(before, endpoint.version));
  group.emplace_back(CreateSubscription{kTenant, {"sub_2"}, {"ep_a"}, {"invoice.*"}, kNow});
  group.emplace_back(start_of(after, endpoint.version));
  group.emplace_back(start_of(after, Version{2}));
  const std::vector<CommitAnswer> answers = commit_group(std::move(group));
  EXPECT_TRUE(std::holds_alternative<Committed>(answers[0]));
  EXPECT_TRUE(std::holds_alternative<Committed>(answers[1]));
  EXPECT_TRUE(std::holds_alternative<Conflict>(answers[2]));
  EXPECT_TRUE(std::holds_alternative<Committed>(answers[3]));
}

TEST_P(StoreConformance, an_attempt_that_breaks_a_rule_of_the_store_changes_nothing) {
  make_endpoint("ep_a");
  const Delivery row = attempt_into(take(event()).fresh.at(0), delivery::Due{kNow}, "retry");
  StartAttempt again = start_of(row, Version{1});
  again.record.attempts = 1;
  again.state.attempt = 1;
  EXPECT_EQ(refusal(again), Fault::corrupt);  // a row of this number is there
  again.record.attempts = 0;
  again.state.attempt = 0;
  EXPECT_EQ(refusal(again), Fault::corrupt);
  again = start_of(row, Version{1});
  again.record.round = 0;
  EXPECT_EQ(refusal(again), Fault::corrupt);
  EXPECT_EQ(stored(row.key).version, row.version);

  ASSERT_TRUE(committed(start_of(row, Version{1})));
  const Delivery flying = stored(row.key);
  EXPECT_EQ(refusal(settle_of(flying, delivery::Parked{kNow}, "parked")), Fault::corrupt);  // since when?
  EXPECT_EQ(refusal(settle_of(flying, delivery::Due{kNow}, "perhaps")), Fault::corrupt);
  SettleAttempt settled_before = settle_of(flying, delivery::Due{kNow}, "retry");
  settled_before.attempt = 1;
  EXPECT_EQ(refusal(settled_before), Fault::corrupt);
  EXPECT_EQ(refusal(LateOutcome{kTenant, row.key, 2, {.at = kNow, .result = "perhaps", .reason = ""}}), Fault::corrupt);
  EXPECT_EQ(stored(row.key).version, flying.version);
  EXPECT_THAT(read([&](StoreReader& r) { return r.attempts(row.key); }).at(1).outcomes, IsEmpty());
}

// ---- lines ----

TEST_P(StoreConformance, the_highest_delivered_sequence_of_a_line_never_falls) {
  const Endpoint endpoint = make_endpoint("ep_a");
  const Delivery first = take(event(R"("ordering_key":"k")")).fresh.at(0);
  const Delivery second = take(event(R"("ordering_key":"k")")).fresh.at(0);
  const auto highest = [&] {
    return read([&](StoreReader& r) { return r.highest_delivered(kTenant, endpoint.key, *first.line); });
  };
  EXPECT_EQ(highest(), 0u);
  attempt_into(second, delivery::Delivered{kNow}, "delivered");
  EXPECT_EQ(highest(), 2u);
  attempt_into(first, delivery::Delivered{kNow}, "delivered");
  EXPECT_EQ(highest(), 2u);
}

TEST_P(StoreConformance, open_deliveries_are_loaded_with_the_dead_ones_that_hold_their_lines_back) {
  make_endpoint("ep_keyed", endpoint::Ordering::per_key, {"shipment.*"});
  const Delivery dead_before_open = take(event(R"("ordering_key":"a")")).fresh.at(0);
  const Delivery open = take(event(R"("ordering_key":"a")")).fresh.at(0);
  const Delivery dead_alone = take(event(R"("ordering_key":"b")")).fresh.at(0);
  const Delivery delivered = take(event(R"("ordering_key":"c")")).fresh.at(0);
  attempt_into(dead_before_open, delivery::Dead{kNow, "x"}, "dead");
  attempt_into(dead_alone, delivery::Dead{kNow, "x"}, "dead");
  attempt_into(delivered, delivery::Delivered{kNow}, "delivered");
  subject_->reopen();
  const auto load = [&](DeliveryKey after, std::size_t limit) {
    std::vector<DeliveryKey> keys;
    for (const Delivery& row : read([&](StoreReader& r) { return r.open_deliveries(after, limit); }))
      keys.push_back(row.key);
    return keys;
  };
  // The one of line b holds back what is not there yet.
  EXPECT_THAT(load(DeliveryKey{0}, 100), ElementsAre(dead_before_open.key, open.key, dead_alone.key));
  EXPECT_THAT(load(DeliveryKey{0}, 1), ElementsAre(dead_before_open.key));
  EXPECT_THAT(load(dead_before_open.key, 100), ElementsAre(open.key, dead_alone.key));
}

TEST_P(StoreConformance, blocked_is_derived_from_the_lowest_of_the_line_that_is_open_or_dead) {
  make_endpoint("ep_keyed");
  make_endpoint("ep_free", endpoint::Ordering::none);
  for (const char* id : {"e1", "e2", "e3"}) take(event(R"("ordering_key":"k","id":")" + std::string(id) + R"(")"));
  const auto blocked_by = [&](const char* id, const char* endpoint) {
    return read([&](StoreReader& r) { return r.delivery(kTenant, DeliveryId{{id}, {endpoint}}); }).value().blocked_by;
  };
  EXPECT_EQ(blocked_by("e1", "ep_keyed"), std::nullopt);
  EXPECT_EQ(blocked_by("e3", "ep_keyed"), EventId{"e1"});
  EXPECT_EQ(blocked_by("e3", "ep_free"), std::nullopt);
  const auto first =
      read([&](StoreReader& r) { return r.delivery(kTenant, DeliveryId{{"e1"}, {"ep_keyed"}}); }).value();
  attempt_into(stored(first.key), delivery::Dead{kNow, "x"}, "dead");
  EXPECT_EQ(blocked_by("e3", "ep_keyed"), EventId{"e1"});

  const auto list = [&](DeliveryFilter filter) {
    std::vector<std::string> ids;
    filter.tenant = kTenant;
    for (const DeliveryView& view : read([&](StoreReader& r) { return r.deliveries(filter); }))
      ids.push_back(format_delivery_id(view.id));
    return ids;
  };
  EXPECT_THAT(list({.blocked_only = true}), ElementsAre("e2.ep_keyed", "e3.ep_keyed"));
  EXPECT_THAT(list({.state = delivery::StateName::dead}), ElementsAre("e1.ep_keyed"));
  EXPECT_THAT(list({.state = delivery::StateName::due, .endpoint = EndpointId{"ep_free"}}),
              ElementsAre("e1.ep_free", "e2.ep_free", "e3.ep_free"));
  EXPECT_THAT(list({.endpoint = EndpointId{"ep_keyed"}, .after = first.key, .limit = 1}), ElementsAre("e2.ep_keyed"));
  EXPECT_THAT(list({.endpoint = EndpointId{"ep_nowhere"}}), IsEmpty());
}

// ---- configuration ----

TEST_P(StoreConformance, a_deleted_endpoint_keeps_its_row_and_loses_everything_else) {
  const Endpoint endpoint = make_endpoint("ep_a");
  const Delivery due = take(event(R"("id":"e1")")).fresh.at(0);
  const Delivery flying = take(event(R"("id":"e2")")).fresh.at(0);
  const Delivery done = take(event(R"("id":"e3")")).fresh.at(0);
  attempt_into(done, delivery::Delivered{kNow}, "delivered");
  ASSERT_TRUE(committed(start_of(flying, endpoint.version)));
  ASSERT_TRUE(committed(DeleteEndpoint{kTenant, {"ep_a"}, kNow}));

  const Endpoint row = read([&](StoreReader& r) { return r.endpoint(kTenant, EndpointId{"ep_a"}); }).value();
  EXPECT_EQ(row.deleted_at, kNow);
  EXPECT_THAT(row.secrets, IsEmpty());
  EXPECT_GT(row.version, endpoint.version);
  EXPECT_THAT(read([](StoreReader& r) { return r.endpoints(std::nullopt); }), IsEmpty());
  EXPECT_THAT(read([](StoreReader& r) { return r.subscriptions(kTenant); }), IsEmpty());
  EXPECT_EQ(std::get<delivery::Cancelled>(stored(due.key).state).reason, "endpoint_deleted");
  EXPECT_EQ(std::get<delivery::Cancelled>(stored(flying.key).state).reason, "endpoint_deleted");
  EXPECT_TRUE(std::holds_alternative<delivery::Delivered>(stored(done.key).state));
  EXPECT_TRUE(conflicts(start_of(due, endpoint.version)));

  EXPECT_THAT(take(event(R"("id":"e4")")).endpoints, IsEmpty());
  EXPECT_THAT(take(event(R"("id":"e1")")).endpoints, ElementsAre(EndpointId{"ep_a"}));
  EXPECT_EQ(refusal(DeleteEndpoint{kTenant, {"ep_a"}, kNow}), Fault::not_found);
}

TEST_P(StoreConformance, what_an_attempt_brought_after_its_delivery_was_cancelled_is_kept_as_late) {
  const Endpoint endpoint = make_endpoint("ep_a");
  const Delivery fresh = take(event()).fresh.at(0);
  ASSERT_TRUE(committed(start_of(fresh, endpoint.version)));
  const Delivery flying = stored(fresh.key);
  ASSERT_TRUE(committed(DeleteEndpoint{kTenant, {"ep_a"}, kNow}));
  const SettleAttempt settle = settle_of(flying, delivery::Delivered{kNow}, "delivered");
  EXPECT_TRUE(conflicts(settle));
  const LateOutcome late{kTenant, fresh.key, 1, settle.outcome};
  EXPECT_TRUE(committed(late));
  EXPECT_TRUE(committed(late));  // told twice
  LateOutcome otherwise = late;
  otherwise.outcome.reason = "told otherwise";
  EXPECT_TRUE(committed(otherwise));  // the first telling stands
  EXPECT_EQ(refusal(LateOutcome{kTenant, fresh.key, 2, settle.outcome}), Fault::not_found);
  const auto attempts = read([&](StoreReader& r) { return r.attempts(fresh.key); });
  ASSERT_THAT(attempts.at(0).outcomes, SizeIs(1));
  EXPECT_TRUE(attempts[0].outcomes[0].late);
  EXPECT_EQ(attempts[0].outcomes[0].reason, "");
  EXPECT_TRUE(std::holds_alternative<delivery::Cancelled>(stored(fresh.key).state));
}

TEST_P(StoreConformance, subscriptions_route_what_comes_after_them) {
  make_endpoint("ep_a", endpoint::Ordering::none, {"invoice.*"});
  const auto created = commit(CreateSubscription{kTenant, {"sub_2"}, {"ep_a"}, {"shipment.*", "order.made"}, kNow});
  const auto subscription = std::get<Subscription>(std::get<Committed>(created).made);
  EXPECT_EQ(subscription.id.text, "sub_2");
  EXPECT_THAT(take(event()).endpoints, SizeIs(1));
  const auto listed = read([](StoreReader& r) { return r.subscriptions(kTenant); });
  ASSERT_THAT(listed, SizeIs(2));
  EXPECT_EQ(listed[1].key, subscription.key);
  EXPECT_EQ(listed[1].endpoint.text, "ep_a");
  EXPECT_THAT(listed[1].event_types, ElementsAre("shipment.*", "order.made"));
  ASSERT_TRUE(committed(DeleteSubscription{kTenant, {"sub_2"}}));
  EXPECT_THAT(take(event()).endpoints, IsEmpty());
}

TEST_P(StoreConformance, a_subscription_binds_what_follows_it_in_the_same_group) {
  make_endpoint("ep_a", endpoint::Ordering::none, {"invoice.*"});
  std::vector<WriteSet> group;
  group.emplace_back(intake_of({event()}));
  group.emplace_back(CreateSubscription{kTenant, {"sub_2"}, {"ep_a"}, {"shipment.*"}, kNow});
  group.emplace_back(intake_of({event()}));
  group.emplace_back(DeleteEndpoint{kTenant, {"ep_a"}, kNow});
  group.emplace_back(intake_of({event()}));
  const std::vector<CommitAnswer> answers = commit_group(std::move(group));
  const auto fan_out = [&](std::size_t i) {
    return std::get<Taken>(intake_answer(answers[i]).items.at(0)).endpoints.size();
  };
  EXPECT_EQ(fan_out(0), 0u);
  EXPECT_EQ(fan_out(2), 1u);
  EXPECT_EQ(fan_out(4), 0u);
}

TEST_P(StoreConformance, names_that_exist_or_are_missing_are_refused_by_their_fault) {
  make_endpoint("ep_a");
  const std::string config = endpoint::config_json(config_with(endpoint::Ordering::none));
  EXPECT_EQ(refusal(CreateEndpoint{kTenant, {"ep_a"}, config, "s", kNow, {}}), Fault::conflict);
  EXPECT_EQ(refusal(CreateEndpoint{TenantKey{2}, {"ep_b"}, config, "s", kNow, {}}), Fault::not_found);
  EXPECT_EQ(refusal(CreateSubscription{kTenant, {"s"}, {"ep_none"}, {"*"}, kNow}), Fault::not_found);
  EXPECT_EQ(refusal(CreateSubscription{kTenant, {"sub_of_ep_a"}, {"ep_a"}, {"*"}, kNow}), Fault::conflict);
  EXPECT_EQ(refusal(DeleteSubscription{kTenant, {"s"}}), Fault::not_found);
  EXPECT_EQ(refusal(DeleteEndpoint{kTenant, {"ep_none"}, kNow}), Fault::not_found);
  EXPECT_EQ(refusal(DeleteEndpoint{TenantKey{2}, {"ep_a"}, kNow}), Fault::not_found);
  EXPECT_EQ(refusal(DeleteApiKey{{"key_none"}}), Fault::not_found);
  Intake stranger = intake_of({event()});
  stranger.tenant = TenantKey{2};
  EXPECT_EQ(refusal(std::move(stranger)), Fault::not_found);
}

TEST_P(StoreConformance, an_endpoint_is_read_as_it_was_made) {
  const Endpoint made = make_endpoint("ep_a");
  const Endpoint row = read([&](StoreReader& r) { return r.endpoint(made.key); }).value();
  EXPECT_EQ(row.id.text, "ep_a");
  EXPECT_EQ(row.version.value, 1);
  EXPECT_EQ(row.config_json, made.config_json);
  EXPECT_EQ(row.created_at, kNow);
  ASSERT_THAT(row.secrets, SizeIs(1));
  EXPECT_EQ(row.secrets[0].number, 1);
  EXPECT_EQ(row.secrets[0].sealed, "sealed");
  EXPECT_FALSE(read([&](StoreReader& r) { return r.endpoint(TenantKey{2}, EndpointId{"ep_a"}); }));
}

TEST_P(StoreConformance, api_keys_are_kept_with_what_they_may) {
  const access::ApiKey key{.id = {"key_1"},
                           .secret_hash = {1, 2, 3},
                           .role = access::Role::producer,
                           .tenant = kTenant,
                           .client = "shop",
                           .event_types = std::vector<std::string>{"shipment.*"}};
  ASSERT_TRUE(committed(CreateApiKey{key, kNow}));
  EXPECT_EQ(refusal(CreateApiKey{key, kNow}), Fault::conflict);
  const access::ApiKey every_tenant{.id = {"key_2"},
                                    .secret_hash = {},
                                    .role = access::Role::operator_,
                                    .tenant = {},
                                    .client = "ops",
                                    .event_types = {}};
  ASSERT_TRUE(committed(CreateApiKey{every_tenant, kNow}));
  const auto rows = read([](StoreReader& r) { return r.api_keys(); });
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0].key.secret_hash, key.secret_hash);
  EXPECT_EQ(rows[0].key.role, access::Role::producer);
  EXPECT_EQ(rows[0].key.event_types, key.event_types);
  EXPECT_EQ(rows[1].key.tenant, std::nullopt);
  EXPECT_EQ(rows[1].key.event_types, std::nullopt);
  ASSERT_TRUE(committed(DeleteApiKey{{"key_1"}}));
  EXPECT_THAT(read([](StoreReader& r) { return r.api_keys(); }), SizeIs(1));
}

TEST_P(StoreConformance, the_tenant_default_exists_from_the_start_with_its_sealed_key) {
  const auto tenants = read([](StoreReader& r) { return r.tenants(); });
  ASSERT_THAT(tenants, SizeIs(1));
  EXPECT_EQ(tenants[0].name, "default");
  const std::string sealed = tenants[0].sealed_fingerprint_key;
  EXPECT_EQ(sealed.substr(0, 27), "tenant/default/fingerprint:");
  EXPECT_EQ(sealed.size(), 27u + 32u);
  subject_->reopen();
  EXPECT_EQ(read([](StoreReader& r) { return r.tenants(); }).at(0).sealed_fingerprint_key, sealed);
}

TEST_P(StoreConformance, events_are_listed_by_what_they_say_and_page_by_page) {
  take(R"({"type":"a.b","data":1,"id":"e1","correlation_id":"c"})");
  take(R"({"type":"a.c","data":1,"id":"e2","correlation_id":"c"})");
  take(R"({"type":"a.b","data":1,"id":"e3"})");
  const auto list = [&](EventFilter filter) {
    std::vector<std::string> ids;
    filter.tenant = kTenant;
    for (const EventView& view : read([&](StoreReader& r) { return r.events(filter); })) ids.push_back(view.id.text);
    return ids;
  };
  EXPECT_THAT(list({}), ElementsAre("e1", "e2", "e3"));
  EXPECT_THAT(list({.correlation_id = "c"}), ElementsAre("e1", "e2"));
  EXPECT_THAT(list({.type = "a.b"}), ElementsAre("e1", "e3"));
  EXPECT_THAT(list({.since = kNow + milliseconds(1)}), IsEmpty());
  EXPECT_THAT(list({.limit = 2}), ElementsAre("e1", "e2"));
  EXPECT_THAT(list({.after = EventKey{2}, .limit = 2}), ElementsAre("e3"));
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreConformance, testing::Values(store_under_test()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace semel::store
