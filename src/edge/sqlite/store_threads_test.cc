// store_threads_test.cc: the store on its real threads: writer, reader and checkpoint side by side.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <string>

#include "core/intake/item_of.h"
#include "edge/os/lanes.h"
#include "edge/sqlite/test_store.h"

namespace semel::sqlite {
namespace {

// A loop that the test turns until it has seen enough.
class TestExecutor final : public Executor {
 public:
  void post(std::move_only_function<void()> f) override {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(f));
    wake_.notify_one();
  }
  // False when nothing comes for half a minute.
  bool run_one() {
    std::move_only_function<void()> f;
    {
      std::unique_lock lock(mutex_);
      if (!wake_.wait_for(lock, std::chrono::seconds(30), [this] { return !waiting_.empty(); })) return false;
      f = std::move(waiting_.front());
      waiting_.pop_front();
    }
    f();
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::move_only_function<void()>> waiting_;
};

store::Intake intake_of(int n) {
  const std::string json = R"({"type":"a.b","data":")" + std::string(600, 'x') + R"(","id":"e)" + std::to_string(n) +
                           R"(","ordering_key":"k)" + std::to_string(n % 7) + R"("})";
  store::Intake intake{.tenant = TenantKey{1}, .client = "shop", .items = {}, .batch_key = {}};
  intake.items.push_back(intake::item_of(json));
  return intake;
}

// 64 clients, each with one submission at a time, and a reader that looks for what was just acknowledged.
class ClosedLoop {
 public:
  ClosedLoop(store::Store& store, int total) : store_(store), total_(total) {}

  void start() {
    for (int client = 0; client < 64; ++client) submit();
  }
  bool is_over() const { return answered_ == total_ && reads_ == 0; }
  int missing() const { return missing_; }
  const std::set<std::pair<int, Sequence>>& sequences() const { return sequences_; }

 private:
  void submit() {
    if (next_ == total_) return;
    const int n = next_++;
    store_.start_commit(intake_of(n), [this, n](store::CommitAnswer answer) {
      const auto& made = std::get<store::IntakeAnswer>(std::get<store::Committed>(answer).made);
      sequences_.emplace(n % 7, std::get<store::Taken>(made.items.at(0)).sequence.value());
      ++answered_;
      if (n % 16 == 0) look_for(n);
      submit();
    });
  }
  void look_for(int n) {
    ++reads_;
    store_.start_reading(
        [this, n](store::StoreReader& reader) {
          const auto event = reader.event(TenantKey{1}, EventId{"e" + std::to_string(n)});
          if (!event || !*event) ++missing_;
        },
        [this](Nothing) { --reads_; });
  }

  store::Store& store_;
  const int total_;
  int next_ = 0;
  int answered_ = 0;
  int reads_ = 0;
  std::atomic<int> missing_ = 0;
  std::set<std::pair<int, Sequence>> sequences_;
};

TEST(StoreThreads, what_is_acknowledged_is_read_while_checkpoints_run_beside_and_no_sequence_is_given_twice) {
  TempFolder folder;
  TestExecutor executor;
  PlainSecrets secrets;
  SeededRandom random(1);
  constexpr int kTotal = 7'000;
  ThreadLanes lanes(executor);
  Result<Opened> opened = open_sqlite_store({.path = folder.file("semel.db"),
                                             .secrets = secrets,
                                             .entropy = random,
                                             .log_bytes_max = 2u << 20,
                                             .on_fatal = [](std::string why) { FAIL() << why; }},
                                            lanes, executor);
  ASSERT_TRUE(opened);
  ClosedLoop loop(*opened->store, kTotal);
  loop.start();
  while (!loop.is_over()) ASSERT_TRUE(executor.run_one());
  EXPECT_EQ(loop.missing(), 0);
  EXPECT_EQ(loop.sequences().size(), static_cast<std::size_t>(kTotal));
  EXPECT_EQ(loop.sequences().rbegin()->second, static_cast<Sequence>(kTotal / 7));
  opened->store.reset();

  TestStore again({.path = folder.file("semel.db")});
  const auto last = again.read([](store::StoreReader& r) { return r.event(TenantKey{1}, EventId{"e6999"}); });
  EXPECT_TRUE(last.value().has_value());
}

}  // namespace
}  // namespace semel::sqlite
