// dispatcher_test.cc: what behaviour scripts (tests/behaviour) cannot bring about: a store whose answers get lost.
#include "engine/dispatcher.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "edge/secrets/sealed_secrets.h"
#include "edge/sqlite/sqlite_store.h"
#include "engine/intake.h"
#include "http/testing/memory_clock.h"
#include "port/null_telemetry.h"

namespace semel::engine {
namespace {

// Work runs at once; its end is told in a later turn.
class PromptLanes final : public Lanes {
 public:
  explicit PromptLanes(Executor& executor) : executor_(executor) {}
  void start_blocking(Lane, std::move_only_function<void()> work, Done<> done) override {
    work();
    executor_.post(std::move(done));
  }

 private:
  Executor& executor_;
};

// Commits, but keeps the next answer to itself.
class ForgetfulStore final : public store::Store {
 public:
  explicit ForgetfulStore(std::unique_ptr<store::Store> inner) : inner_(std::move(inner)) {}
  void start_commit(store::WriteSet write_set, Done<store::CommitAnswer> done) override {
    if (!std::exchange(forgets_next, false)) return inner_->start_commit(std::move(write_set), std::move(done));
    inner_->start_commit(std::move(write_set), [answer = std::move(done)](store::CommitAnswer) mutable {
      answer(store::Unknown{{Fault::unknown_outcome, "the answer was lost"}, false});
    });
  }
  void start_reading(std::move_only_function<void(store::StoreReader&)> read, Done<Nothing> done) override {
    inner_->start_reading(std::move(read), std::move(done));
  }
  Fence fence() const override { return inner_->fence(); }
  bool forgets_next = false;

 private:
  std::unique_ptr<store::Store> inner_;
};

class CountingExchange final : public Exchange {
 public:
  Co<Outcome> exchange(SealedRequest) override {
    ++requests;
    Answer answer;
    answer.status = 200;
    co_return answer;
  }
  int requests = 0;
};

class DispatcherTest : public testing::Test {
 protected:
  DispatcherTest() {
    EXPECT_TRUE(clock_.run(tenants_.load(store_, secrets_)));
    EXPECT_TRUE(clock_.run(dispatcher_.start()));
    const JsonDocument config = *parse_json(R"({"url":"https://shop.example.com/","event_types":["*"]})");
    const MadeEndpoint made =
        *clock_.run(endpoints_.create(tenant(), *endpoint::read_new_endpoint(config.root(), egress::EgressRules{})));
    dispatcher_.endpoint_added(endpoints_.find(made.row.key));
  }
  ~DispatcherTest() override { std::filesystem::remove_all(folder_); }

  TenantKey tenant() const { return tenants_.find("default")->key; }
  IntakeResult submit() {
    const JsonDocument event = *parse_json(R"({"type":"a.b","data":1})");
    IntakeRequest request{.tenant = tenant(), .client = "c", .items = {}, .key = {}, .batch = false};
    request.items.push_back({*event::read_submission(event.root()), intake_.fingerprint(tenant(), event.root())});
    return clock_.run(intake_.submit(std::move(request)));
  }

  static std::string make_folder() {
    std::string pattern = std::filesystem::temp_directory_path() / "semel-dispatcher-XXXXXX";
    return mkdtemp(pattern.data());
  }

  std::unique_ptr<store::Store> open_store() {
    auto opened = sqlite::open_sqlite_store(
        {.path = folder_ + "/semel.db", .secrets = secrets_, .entropy = random_, .vfs = {}, .on_fatal = {}}, lanes_,
        clock_);
    return std::move(opened->store);
  }

  std::string folder_ = make_folder();
  http::testing::MemoryClock clock_;
  SeededRandom random_{1};
  PromptLanes lanes_{clock_};
  SealedSecrets secrets_{MasterKey({}), random_};
  ForgetfulStore store_{open_store()};
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

TEST_F(DispatcherTest, looking_again_leaves_alone_what_is_in_memory) {
  submit();
  store_.forgets_next = true;
  submit();
  clock_.run_for(std::chrono::seconds(5));
  EXPECT_EQ(exchange_.requests, 2);
  EXPECT_EQ(dispatcher_.counts().attempts, 2u);
}

}  // namespace
}  // namespace semel::engine
