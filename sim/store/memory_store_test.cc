// memory_store_test.cc: what is the memory's own: its turns, and that nothing happens in a store that is gone. The rest
// is port/testing/store_conformance_test.cc.
#include "sim/store/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "core/intake/item_of.h"
#include "edge/sqlite/test_store.h"
#include "port/testing/store_conformance.h"

namespace semel::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Each step runs what was posted before it.
class Turns final : public Executor {
 public:
  void post(std::move_only_function<void()> f) override { waiting_.push_back(std::move(f)); }
  void step() {
    for (std::move_only_function<void()>& f : std::exchange(waiting_, {})) f();
  }
  bool idle() const { return waiting_.empty(); }

 private:
  std::deque<std::move_only_function<void()>> waiting_;
};

class MemoryStoreTest : public testing::Test {
 protected:
  std::unique_ptr<store::Store> open() { return open_memory_store(rows_, secrets_, random_, turns_).value(); }

  void send(store::Store& store, const std::string& id) {
    store::Intake intake{.tenant = TenantKey{1}, .client = "shop", .items = {}, .batch_key = {}};
    intake.items.push_back(intake::item_of(R"({"type":"a.b","data":1,"id":")" + id + R"("})"));
    store.start_commit(std::move(intake), [this, id](store::CommitAnswer answer) {
      EXPECT_TRUE(std::holds_alternative<store::Committed>(answer));
      answered_.push_back(id);
    });
  }
  std::vector<std::string> events(store::Store& store) {
    std::vector<std::string> ids;
    store.start_reading(
        [&](store::StoreReader& reader) {
          const auto read = reader.events({.tenant = TenantKey{1}});
          for (const store::EventView& event : read.value()) ids.push_back(event.id.text);
        },
        [](Nothing) {});
    turns_.step();
    return ids;
  }

  MemoryRows rows_;
  sqlite::PlainSecrets secrets_;
  SeededRandom random_{7};
  Turns turns_;
  std::vector<std::string> answered_;
};

TEST_F(MemoryStoreTest, what_one_turn_brings_is_committed_in_the_next_and_answered_in_the_one_after) {
  const auto store = open();
  send(*store, "e1");
  send(*store, "e2");
  EXPECT_THAT(answered_, IsEmpty());
  turns_.step();
  EXPECT_THAT(answered_, IsEmpty());
  send(*store, "e3");
  turns_.step();
  EXPECT_THAT(answered_, ElementsAre("e1", "e2"));
  turns_.step();
  EXPECT_THAT(answered_, ElementsAre("e1", "e2", "e3"));
  EXPECT_THAT(events(*store), ElementsAre("e1", "e2", "e3"));
}

TEST_F(MemoryStoreTest, a_store_that_goes_commits_nothing_more_and_answers_nobody) {
  auto store = open();
  send(*store, "committed");
  turns_.step();
  send(*store, "queued");
  store->start_reading([](store::StoreReader&) { ADD_FAILURE(); }, [](Nothing) { ADD_FAILURE(); });
  store.reset();
  turns_.step();
  turns_.step();
  EXPECT_TRUE(turns_.idle());
  EXPECT_THAT(answered_, IsEmpty());
  store = open();
  EXPECT_THAT(events(*store), ElementsAre("committed"));
}

TEST_F(MemoryStoreTest, every_open_raises_the_fence_by_one) {
  EXPECT_EQ(open()->fence(), Fence{2});
  EXPECT_EQ(open()->fence(), Fence{3});
}

class MemorySubject final : public store::Subject {
 public:
  MemorySubject() { reopen(); }
  store::Store& store() override { return *store_; }
  void drain() override { lanes_.drain(); }
  void reopen() override {
    drain();
    store_ = open_memory_store(rows_, secrets_, random_, lanes_).value();
  }

 private:
  MemoryRows rows_;
  sqlite::PlainSecrets secrets_;
  SeededRandom random_{7};
  sqlite::InlineLanes lanes_;
  std::unique_ptr<store::Store> store_;
};

}  // namespace
}  // namespace semel::sim

namespace semel::store {

StoreKind store_under_test() {
  return {"memory", [] { return std::make_unique<sim::MemorySubject>(); }};
}

}  // namespace semel::store
