// doubtful_store_test.cc: each fate as the engine hears it, as the observer hears it, and as it stands afterwards.
#include "sim/store/doubtful_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/match.h"
#include "core/endpoint/config.h"
#include "core/intake/item_of.h"
#include "edge/sqlite/test_store.h"
#include "port/testing/start_of.h"
#include "sim/kernel/process.h"
#include "sim/kernel/testing/only.h"
#include "sim/store/memory_reader.h"
#include "sim/store/memory_store.h"
#include "sim/store/tables.h"

namespace semel::sim {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr TenantKey kTenant{1};
constexpr WallTime kNow{1'796'024'751'000};
constexpr Nanoseconds kMinute{60'000'000'000};

std::string word(const store::CommitAnswer& answer) {
  return match(
      answer, [](const store::Committed&) { return "committed"; }, [](const store::Conflict&) { return "conflict"; },
      [](const store::Refused&) { return "refused"; },
      [](const store::Unknown& unknown) { return unknown.fatal ? "fatal" : "unknown"; });
}

std::string word(CommitFate fate) {
  switch (fate) {
    case CommitFate::told:
      return "told";
    case CommitFate::lost:
      return "lost";
    case CommitFate::in_doubt:
      return "in_doubt";
    case CommitFate::late:
      return "late";
    case CommitFate::died:
      return "died";
  }
  return "?";
}

class Observer final : public CommitObserver {
 public:
  int asked = 0;
  std::vector<std::string> done;  // "fate answer"

  void commit_asked(const store::WriteSet&, Fence) override { ++asked; }
  void commit_done(const store::WriteSet&, Fence, CommitFate fate, const store::CommitAnswer& answer) override {
    done.push_back(word(fate) + " " + word(answer));
  }
};

// One process at a time on one store in memory. `struck` happens at each commit; its details come from the seed.
class DoubtfulStoreTest : public testing::Test {
 protected:
  // Seeds whose first occasions are not fatal, but where a test looks for that.
  static constexpr std::uint64_t kSeed = 3;

  void strike(FaultClass fault, std::uint64_t seed = kSeed) { faults_.emplace(seed, only(fault), FaultMask{}); }
  void strike_no_more() { faults_->heal(); }

  void start() {
    process_.emplace("server", schedule_, wall_);
    auto below = open_memory_store(rows_, secrets_, random_, *process_).value();
    store_.emplace(std::move(below), *process_, *faults_, late_, observer_, [this] { ++crashes_; });
  }
  void kill() {
    process_->kill();
    store_.reset();
    process_.reset();
  }

  void run(Nanoseconds span) {
    const MonotonicTime end = schedule_.now() + span;
    while (schedule_.step(end)) {
    }
  }

  void commit(store::WriteSet write_set) {
    store_->start_commit(std::move(write_set),
                         [this](const store::CommitAnswer& answer) { heard_.push_back(word(answer)); });
  }
  store::Committed commit_for_sure(store::WriteSet write_set) {
    std::optional<store::CommitAnswer> given;
    store_->start_commit(std::move(write_set), [&given](store::CommitAnswer answer) { given = std::move(answer); });
    run(Nanoseconds(0));
    observer_.done.clear();
    observer_.asked = 0;
    return std::get<store::Committed>(given.value());
  }

  static store::Intake intake(const std::string& id) {
    store::Intake write_set{.tenant = kTenant, .client = "shop", .items = {}, .batch_key = {}};
    write_set.items.push_back(intake::item_of(R"({"type":"a.b","data":1,"id":")" + id + R"("})"));
    return write_set;
  }
  static store::CreateApiKey api_key(const std::string& id) {
    return {
        {.id = {id}, .secret_hash = {}, .role = access::Role::reader, .tenant = {}, .client = "x", .event_types = {}},
        kNow};
  }

  // A process that runs, with one delivery that is due; nothing strikes any more.
  store::Delivery make_due_delivery() {
    strike(FaultClass::commit_late);
    strike_no_more();
    start();
    commit_for_sure(store::CreateEndpoint{
        .tenant = kTenant,
        .id = {"ep_a"},
        .config_json = endpoint::config_json({.url = egress::read_url("https://shop.example/hook").value()}),
        .sealed_secret = "sealed",
        .now = kNow,
        .subscription = store::CreateEndpoint::FirstSubscription{{"sub_a"}, {"*"}}});
    const store::Committed made = commit_for_sure(intake("e1"));
    return std::get<store::Taken>(std::get<store::IntakeAnswer>(made.made).items.at(0)).fresh.at(0);
  }
  store::StartAttempt start_of(const store::Delivery& delivery) {
    return store::start_of(delivery, store_->fence(), Version{1}, kNow);
  }
  store::ChangeDelivery replay_of(const store::Delivery& delivery) {
    return {.tenant = delivery.tenant,
            .fence = store_->fence(),
            .endpoint = delivery.endpoint,
            .delivery = delivery.key,
            .version = delivery.version,
            .state = delivery::Due{kNow},
            .record = delivery.record};
  }

  bool has_event(const std::string& id) { return reader_.event(kTenant, {id}).value().has_value(); }
  std::size_t keys() { return reader_.api_keys().value().size(); }
  std::int64_t version_of(const store::Delivery& delivery) {
    return reader_.delivery(delivery.key).value().value().version.value;
  }

  Trace trace_;
  Schedule schedule_{Draw(1, "schedule"), Order::fifo, trace_};
  WallClock wall_{.at_start = kNow};
  MemoryRows rows_;
  MemoryReader reader_{rows_.tables()};
  sqlite::PlainSecrets secrets_;
  SeededRandom random_{7};
  Late late_{schedule_, schedule_.new_source()};
  Observer observer_;
  std::optional<Faults> faults_;
  std::optional<Process> process_;
  std::optional<DoubtfulStore> store_;
  std::vector<std::string> heard_;
  int crashes_ = 0;
};

TEST_F(DoubtfulStoreTest, without_a_strike_the_engine_and_the_observer_hear_what_the_store_says) {
  strike(FaultClass::commit_lost);
  strike_no_more();
  start();
  commit(api_key("key_1"));
  commit(api_key("key_1"));
  run(Nanoseconds(0));
  EXPECT_THAT(heard_, ElementsAre("committed", "refused"));
  EXPECT_THAT(observer_.done, ElementsAre("told committed", "told refused"));
  EXPECT_EQ(observer_.asked, 2);
}

TEST_F(DoubtfulStoreTest, a_lost_commit_is_refused_or_in_doubt_and_never_there) {
  strike(FaultClass::commit_lost);
  start();
  for (int i = 0; i < 12; ++i) commit(api_key("key_" + std::to_string(i)));
  run(2 * kMinute);
  EXPECT_THAT(heard_, SizeIs(12));
  EXPECT_THAT(heard_, Contains("refused"));
  EXPECT_THAT(heard_, Contains("unknown"));
  EXPECT_THAT(observer_.done, IsEmpty());
  EXPECT_EQ(keys(), 0u);
}

TEST_F(DoubtfulStoreTest, a_commit_in_doubt_is_there_and_the_engine_hears_that_it_may_be) {
  strike(FaultClass::commit_doubt);
  start();
  for (int i = 0; i < 3; ++i) commit(intake("e" + std::to_string(i)));
  run(Nanoseconds(0));
  EXPECT_THAT(heard_, ElementsAre("unknown", "unknown", "unknown"));
  EXPECT_THAT(observer_.done, ElementsAre("in_doubt committed", "in_doubt committed", "in_doubt committed"));
  EXPECT_TRUE(has_event("e0") && has_event("e1") && has_event("e2"));
}

TEST_F(DoubtfulStoreTest, a_fatal_doubt_is_told_once_then_all_is_refused_and_the_process_is_to_die) {
  // One in sixteen.
  for (std::uint64_t seed = 1; heard_.empty() || heard_.back() != "fatal"; ++seed) {
    ASSERT_LT(seed, 200u);
    heard_.clear();
    strike(FaultClass::commit_doubt, seed);
    start();
    commit(api_key("key_" + std::to_string(seed)));
    run(Nanoseconds(0));
    ASSERT_THAT(heard_, SizeIs(1));
    EXPECT_EQ(crashes_, heard_.back() == "fatal" ? 1 : 0);
    if (heard_.back() != "fatal") kill();
  }
  const std::size_t before = keys();
  commit(api_key("key_after"));
  run(Nanoseconds(0));
  EXPECT_THAT(heard_, ElementsAre("fatal", "refused"));
  EXPECT_EQ(keys(), before);
  EXPECT_EQ(crashes_, 1);
}

TEST_F(DoubtfulStoreTest, a_late_start_is_in_doubt_and_comes_within_a_minute) {
  const store::Delivery delivery = make_due_delivery();
  kill();
  strike(FaultClass::commit_late);
  start();
  commit(start_of(delivery));
  EXPECT_EQ(version_of(delivery), 1);
  EXPECT_EQ(late_.waiting(), 1u);
  run(kMinute);
  EXPECT_THAT(heard_, ElementsAre("unknown"));
  EXPECT_THAT(observer_.done, ElementsAre("late committed"));
  EXPECT_EQ(version_of(delivery), 2);
  EXPECT_EQ(late_.waiting(), 0u);
}

TEST_F(DoubtfulStoreTest, what_a_dead_process_had_under_way_meets_the_fence_of_the_next_one) {
  const store::Delivery delivery = make_due_delivery();
  kill();
  strike(FaultClass::commit_late);
  start();
  commit(start_of(delivery));
  commit(replay_of(delivery));
  kill();
  run(2 * kMinute);  // nobody runs: it waits
  EXPECT_THAT(observer_.done, IsEmpty());
  EXPECT_EQ(late_.waiting(), 2u);
  start();
  run(Nanoseconds(0));
  EXPECT_THAT(heard_, IsEmpty());
  EXPECT_THAT(observer_.done, ElementsAre("late conflict", "late conflict"));
  EXPECT_EQ(version_of(delivery), 1);
}

TEST_F(DoubtfulStoreTest, a_late_intake_or_replay_is_through_before_its_doubt_is_told) {
  const store::Delivery delivery = make_due_delivery();
  kill();
  strike(FaultClass::commit_late);
  start();
  const auto told_of = [this](store::WriteSet write_set) {
    heard_.clear();
    observer_.done.clear();
    commit(std::move(write_set));
    const MonotonicTime end = schedule_.now() + kMinute;
    while (heard_.empty() && schedule_.step(end)) {
    }
    EXPECT_THAT(heard_, ElementsAre("unknown"));
    return observer_.done;
  };
  EXPECT_THAT(told_of(intake("late")), ElementsAre("late committed"));
  EXPECT_TRUE(has_event("late"));
  EXPECT_THAT(told_of(replay_of(delivery)), ElementsAre("late committed"));
  EXPECT_EQ(version_of(delivery), 2);
}

TEST_F(DoubtfulStoreTest, a_late_intake_is_lost_with_its_process) {
  strike(FaultClass::commit_late);
  start();
  commit(intake("late"));
  kill();
  start();
  run(2 * kMinute);
  EXPECT_FALSE(has_event("late"));
  EXPECT_THAT(heard_, IsEmpty());
  EXPECT_THAT(observer_.done, IsEmpty());
}

// Whether a key made by a process that died with it was there at once, later, or never.
TEST_F(DoubtfulStoreTest, a_process_that_dies_in_a_commit_hears_nothing_and_leaves_it_applied_not_applied_or_late) {
  std::vector<std::string> left;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    strike(FaultClass::crash_in_commit, seed);
    start();
    observer_.done.clear();
    crashes_ = 0;
    const std::size_t before = keys();
    commit(api_key("key_" + std::to_string(seed)));
    while (crashes_ == 0) ASSERT_TRUE(schedule_.step(schedule_.now()));
    EXPECT_EQ(crashes_, 1);
    const bool at_once = keys() > before;
    if (at_once) EXPECT_THAT(observer_.done, ElementsAre("died committed"));
    kill();
    strike_no_more();
    start();
    run(2 * kMinute);
    const bool in_the_end = keys() > before;
    if (in_the_end && !at_once) EXPECT_THAT(observer_.done, ElementsAre("late committed"));
    if (!in_the_end) EXPECT_THAT(observer_.done, IsEmpty());
    left.push_back(at_once ? "applied" : in_the_end ? "late" : "never");
    kill();
  }
  EXPECT_THAT(heard_, IsEmpty());
  EXPECT_THAT(left, Contains("applied"));
  EXPECT_THAT(left, Contains("late"));
  EXPECT_THAT(left, Contains("never"));
}

TEST_F(DoubtfulStoreTest, a_store_that_goes_with_answers_outstanding_calls_nobody) {
  for (const FaultClass fault : {FaultClass::commit_lost, FaultClass::commit_doubt, FaultClass::commit_late,
                                 FaultClass::crash_in_commit, FaultClass::stall}) {
    strike(fault);
    start();
    commit(intake("e_" + std::to_string(static_cast<int>(fault))));
    crashes_ = 0;
    store_.reset();  // its process lives on
    run(2 * kMinute);
    EXPECT_THAT(heard_, IsEmpty());
    EXPECT_THAT(observer_.done, IsEmpty());
    EXPECT_EQ(crashes_, 0);
    kill();
  }
}

TEST_F(DoubtfulStoreTest, only_what_the_world_has_strikes) {
  faults_.emplace(kSeed, Faults::Rates{}, FaultMask{});
  start();
  commit(intake("e1"));
  run(Nanoseconds(0));
  EXPECT_THAT(heard_, ElementsAre("committed"));
  EXPECT_THAT(faults_->struck(), IsEmpty());
}

}  // namespace
}  // namespace semel::sim
