// dispatcher_test.cc: what behaviour scripts (tests/behaviour) cannot bring about: a store whose answers get lost.
#include "engine/dispatcher.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/testing/temp_folder.h"
#include "edge/secrets/sealed_secrets.h"
#include "edge/sqlite/sqlite_store.h"
#include "engine/intake.h"
#include "http/testing/memory_clock.h"
#include "port/null_telemetry.h"
#include "port/testing/prompt_lanes.h"

namespace semel::engine {
namespace {

// A store whose next answers are told wrongly or late.
class UnreliableStore final : public store::Store {
 public:
  explicit UnreliableStore(std::unique_ptr<store::Store> inner) : inner_(std::move(inner)) {}
  void start_commit(store::WriteSet write_set, Done<store::CommitAnswer> done) override {
    if (refuses_evidence && std::holds_alternative<store::LateOutcome>(write_set)) refuses_next = true;
    if (std::exchange(refuses_next, false)) return done(store::Refused{{Fault::unavailable, "there is no room"}});
    if (std::exchange(forgets_next, false)) {
      refuses_next = refuses_after_forgetting;
      inner_->start_commit(std::move(write_set), [answer = std::move(done)](store::CommitAnswer) mutable {
        answer(store::Unknown{{Fault::unknown_outcome, "the answer was lost"}, false});
      });
    } else if (std::exchange(tells_next_at_the_second_read, false)) {
      inner_->start_commit(std::move(write_set), [this, answer = std::move(done)](store::CommitAnswer told) mutable {
        untold_ = [later = std::move(answer), kept = std::move(told)]() mutable { later(std::move(kept)); };
      });
    } else {
      inner_->start_commit(std::move(write_set), std::move(done));
    }
  }
  void start_reading(std::move_only_function<void(store::StoreReader&)> read, Done<Nothing> done) override {
    if (untold_ && ++reads_before_it_ == 2) std::exchange(untold_, nullptr)();
    if (holds_reads)
      inner_->start_reading(
          std::move(read), [this, over = std::move(done)](Nothing) mutable { held_reads_.push_back(std::move(over)); });
    else
      inner_->start_reading(std::move(read), std::move(done));
  }
  void release_reads() {
    holds_reads = false;
    for (Done<Nothing>& over : std::exchange(held_reads_, {})) over(Nothing{});
  }
  Fence fence() const override { return inner_->fence(); }

  bool forgets_next = false;  // commits, but the answer is lost
  bool refuses_next = false;
  bool refuses_after_forgetting = false;
  bool refuses_evidence = false;
  bool tells_next_at_the_second_read = false;
  bool holds_reads = false;  // what was read is handed over later

 private:
  std::unique_ptr<store::Store> inner_;
  std::move_only_function<void()> untold_;
  int reads_before_it_ = 0;
  std::vector<Done<Nothing>> held_reads_;
};

class CountingExchange final : public Exchange {
 public:
  Co<Outcome> exchange(SealedRequest) override {
    ++requests;
    if (holds) co_return co_await call<Outcome>([&](Done<Outcome> done) { held_ = std::move(done); });
    co_return outcome();
  }
  void release() { held_(outcome()); }

  int requests = 0;
  bool holds = false;
  int status = 200;
  std::optional<std::string> disposition;

 private:
  Outcome outcome() const {
    Answer answer;
    answer.status = status;
    answer.disposition = disposition;
    return answer;
  }
  Done<Outcome> held_;
};

class DispatcherTest : public testing::Test {
 protected:
  DispatcherTest() {
    EXPECT_TRUE(clock_.run(tenants_.load(store_, secrets_)));
    EXPECT_TRUE(clock_.run(dispatcher_.start()));
    const JsonDocument config = *parse_json(R"({"url":"https://shop.example.com/","event_types":["*"]})");
    endpoint_ =
        clock_.run(endpoints_.create(tenant(), *endpoint::read_new_endpoint(config.root(), egress::EgressRules{})))
            ->row;
    dispatcher_.endpoint_added(endpoints_.find(endpoint_.key));
  }

  TenantKey tenant() const { return tenants_.find("default")->key; }
  IntakeResult submit() {
    const JsonDocument event = *parse_json(R"({"type":"a.b","data":1})");
    IntakeRequest request{.tenant = tenant(), .client = "c", .items = {}, .key = {}, .batch = false};
    request.items.push_back({*event::read_submission(event.root()), intake_.fingerprint(tenant(), event.root())});
    return clock_.run(intake_.submit(std::move(request)));
  }

  std::unique_ptr<store::Store> open_store() {
    auto opened = sqlite::open_sqlite_store(
        {.path = folder_.file("semel.db"), .secrets = secrets_, .entropy = random_, .vfs = {}, .on_fatal = {}}, lanes_,
        clock_);
    return std::move(opened->store);
  }

  TempFolder folder_;
  http::testing::MemoryClock clock_;
  SeededRandom random_{1};
  testing_support::PromptLanes lanes_{clock_};
  SealedSecrets secrets_{MasterKey({}), random_};
  UnreliableStore store_{open_store()};
  NullTelemetry telemetry_;
  CountingExchange exchange_;
  Tenants tenants_;
  EndpointBook endpoints_{store_, secrets_, clock_, random_};
  Dispatcher dispatcher_{{.store = store_,
                          .exchange = exchange_,
                          .executor = clock_,
                          .clock = clock_,
                          .entropy = random_,
                          .telemetry = telemetry_},
                         endpoints_};
  Intake intake_{store_, dispatcher_, tenants_, clock_, random_};
  store::Endpoint endpoint_;
};

TEST_F(DispatcherTest, sends_what_a_commit_made_whose_answer_was_lost) {
  store_.forgets_next = true;
  const IntakeResult result = submit();
  ASSERT_TRUE(std::holds_alternative<InDoubt>(result));
  EXPECT_EQ(exchange_.requests, 0);
  clock_.run_for(std::chrono::seconds(2));
  EXPECT_EQ(exchange_.requests, 1);
  EXPECT_EQ(dispatcher_.counts().open, 0u);
}

TEST_F(DispatcherTest, nothing_overtakes_what_a_commit_in_doubt_may_have_made) {
  store_.forgets_next = true;
  submit();
  submit();
  clock_.settle();
  EXPECT_EQ(exchange_.requests, 0);
  clock_.run_for(std::chrono::seconds(2));
  EXPECT_EQ(exchange_.requests, 2);
  EXPECT_EQ(dispatcher_.counts().open, 0u);
}

TEST_F(DispatcherTest, a_doubt_that_comes_while_looking_again_is_looked_for_too) {
  store_.forgets_next = true;
  submit();
  store_.holds_reads = true;
  clock_.run_for(std::chrono::seconds(1));
  store_.forgets_next = true;
  submit();
  store_.release_reads();
  clock_.run_for(std::chrono::seconds(3));
  EXPECT_EQ(exchange_.requests, 2);
  EXPECT_EQ(dispatcher_.counts().open, 0u);
}

TEST_F(DispatcherTest, an_endpoint_whose_making_was_in_doubt_is_sent_to) {
  store_.forgets_next = true;
  const JsonDocument config = *parse_json(R"({"url":"https://office.example.com/","event_types":["*"]})");
  const auto made =
      clock_.run(endpoints_.create(tenant(), *endpoint::read_new_endpoint(config.root(), egress::EgressRules{})));
  ASSERT_FALSE(made);
  dispatcher_.look_again(made.error().note);
  submit();
  clock_.run_for(std::chrono::seconds(2));
  EXPECT_EQ(exchange_.requests, 2);
  EXPECT_EQ(dispatcher_.counts().open, 0u);
}

TEST_F(DispatcherTest, looking_again_leaves_alone_what_is_in_memory) {
  submit();
  store_.forgets_next = true;
  submit();
  clock_.run_for(std::chrono::seconds(5));
  EXPECT_EQ(exchange_.requests, 2);
  EXPECT_EQ(dispatcher_.counts().attempts, 2u);
}

TEST_F(DispatcherTest, looking_again_is_not_misled_by_what_ended_while_it_read) {
  exchange_.holds = true;
  submit();
  clock_.settle();
  store_.forgets_next = true;
  submit();
  exchange_.holds = false;
  store_.holds_reads = true;
  clock_.run_for(std::chrono::seconds(1));
  exchange_.release();
  clock_.settle();
  ASSERT_EQ(dispatcher_.counts().delivered, 1u);
  store_.release_reads();
  clock_.settle();
  EXPECT_EQ(exchange_.requests, 2);
  EXPECT_EQ(dispatcher_.counts().delivered, 2u);
}

TEST_F(DispatcherTest, an_attempt_in_doubt_that_cannot_be_settled_yet_is_settled_later) {
  submit();
  store_.forgets_next = true;
  store_.refuses_after_forgetting = true;
  clock_.settle();
  EXPECT_EQ(exchange_.requests, 0);
  clock_.run_for(std::chrono::seconds(5));
  EXPECT_EQ(exchange_.requests, 1);
  EXPECT_EQ(dispatcher_.counts().open, 0u);
}

TEST_F(DispatcherTest, an_endpoint_whose_deletion_was_in_doubt_leaves_nothing_in_memory) {
  exchange_.status = 500;
  submit();
  submit();
  clock_.settle();
  ASSERT_EQ(exchange_.requests, 2);
  store_.forgets_next = true;
  ASSERT_FALSE(clock_.run(endpoints_.remove(tenant(), endpoint_.id)));
  clock_.run_for(std::chrono::seconds(60));
  EXPECT_EQ(exchange_.requests, 2);
  EXPECT_EQ(dispatcher_.counts().open, 0u);
}

TEST_F(DispatcherTest, what_an_attempt_brought_after_a_deletion_is_kept_though_the_store_refuses_it_at_first) {
  exchange_.holds = true;
  submit();
  clock_.settle();
  ASSERT_TRUE(clock_.run(endpoints_.remove(tenant(), endpoint_.id)));
  dispatcher_.endpoint_removed(endpoint_.key);
  store_.refuses_evidence = true;
  exchange_.release();
  clock_.run_for(std::chrono::seconds(5));
  const auto outcomes = [this] {
    return clock_.run(store::read(store_, [](store::StoreReader& reader) { return reader.attempts(DeliveryKey{1}); }))
        ->at(0)
        .outcomes;
  };
  EXPECT_TRUE(outcomes().empty());
  EXPECT_EQ(dispatcher_.counts().in_flight, 1u);
  store_.refuses_evidence = false;
  clock_.run_for(std::chrono::seconds(5));
  ASSERT_EQ(outcomes().size(), 1u);
  EXPECT_TRUE(outcomes()[0].late);
  EXPECT_EQ(outcomes()[0].result, "delivered");
  EXPECT_EQ(dispatcher_.counts().in_flight, 0u);
}

TEST_F(DispatcherTest, an_endpoint_deleted_again_after_a_doubt_is_gone_for_replays_too) {
  const auto taken = std::get<store::IntakeAnswer>(submit());
  const EventId event = std::get<store::Taken>(taken.items.front()).id;
  clock_.settle();
  store_.forgets_next = true;
  ASSERT_FALSE(clock_.run(endpoints_.remove(tenant(), endpoint_.id)));
  ASSERT_TRUE(clock_.run(endpoints_.remove(tenant(), endpoint_.id)));
  const Result<ReplayOutcome> outcome = clock_.run(dispatcher_.replay(tenant(), {event, endpoint_.id}));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(*outcome, ReplayOutcome::endpoint_gone);
}

TEST_F(DispatcherTest, a_replay_of_what_died_a_moment_ago_opens_it) {
  exchange_.status = 422;
  exchange_.disposition = "rejected";
  exchange_.holds = true;
  const auto taken = std::get<store::IntakeAnswer>(submit());
  clock_.settle();
  const EventId event = std::get<store::Taken>(taken.items.front()).id;
  store_.tells_next_at_the_second_read = true;
  exchange_.release();
  exchange_.holds = false;
  clock_.settle();
  const DeliveryId delivery = DeliveryId{event, endpoint_.id};
  const Result<ReplayOutcome> outcome = clock_.run(dispatcher_.replay(tenant(), delivery));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(*outcome, ReplayOutcome::opened);
}

}  // namespace
}  // namespace semel::engine
