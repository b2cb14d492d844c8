// sqlite_store_test.cc: what holds for the file itself: its lock, its version, a full or failing disk, power loss,
// kills.
#include "edge/sqlite/sqlite_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "core/endpoint/config.h"
#include "core/intake/item_of.h"
#include "edge/sqlite/recording_vfs.h"
#include "edge/sqlite/test_store.h"
#include "port/testing/store_conformance.h"

namespace semel::sqlite {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr TenantKey kTenant{1};

store::Intake intake_of(const std::string& id, const std::string& ordering_key = "k") {
  store::Intake intake{.tenant = kTenant, .client = "shop", .items = {}, .batch_key = {}};
  const std::string json = R"({"type":"a.b","data":")" + std::string(300, 'x') + R"(","id":")" + id +
                           R"(","ordering_key":")" + ordering_key + R"("})";
  intake.items.push_back(intake::item_of(json));
  return intake;
}

bool is_committed(const store::CommitAnswer& answer) { return std::holds_alternative<store::Committed>(answer); }

std::optional<Fault> refusal(const store::CommitAnswer& answer) {
  const auto* refused = std::get_if<store::Refused>(&answer);
  return refused ? std::optional(refused->error.fault) : std::nullopt;
}

bool has_event(TestStore& store, const std::string& id) {
  return store.read([&](store::StoreReader& reader) { return reader.event(kTenant, EventId{id}); }).value().has_value();
}

// One statement on the file, past the store.
void alter(const std::string& path, const std::string& sql) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
  sqlite3_close(handle);
}

std::string integrity(const std::string& path) {
  sqlite3* handle = nullptr;
  sqlite3_stmt* statement = nullptr;
  sqlite3_open(path.c_str(), &handle);
  sqlite3_prepare_v2(handle, "PRAGMA integrity_check", -1, &statement, nullptr);
  std::string answer = "no answer";
  if (sqlite3_step(statement) == SQLITE_ROW) answer = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
  sqlite3_finalize(statement);
  sqlite3_close(handle);
  return answer;
}

// ---- opening ----

TEST(SqliteStore, a_new_file_is_created_once_and_its_fence_rises_with_each_owner) {
  TempFolder folder;
  TestStore store({.path = folder.file("semel.db")});
  EXPECT_TRUE(store.created());
  const Fence first = store.store().fence();
  store.reopen();
  EXPECT_FALSE(store.created());
  EXPECT_EQ(store.store().fence().value, first.value + 1);
}

TEST(SqliteStore, a_second_opening_is_refused_with_the_first_ones_process_id) {
  TempFolder folder;
  TestStore store({.path = folder.file("semel.db")});
  const Result<Opened> second = store.try_open();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().fault, Fault::busy);
  EXPECT_THAT(second.error().note, HasSubstr("process " + std::to_string(getpid())));
}

TEST(SqliteStore, a_second_process_is_refused_and_may_have_it_once_the_first_is_killed) {
  TempFolder folder;
  std::array<int, 2> opened{};
  ASSERT_EQ(pipe(opened.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    TestStore store({.path = folder.file("semel.db")});
    static_cast<void>(!write(opened[1], "o", 1));
    pause();
  }
  char byte = 0;
  ASSERT_EQ(read(opened[0], &byte, 1), 1);

  InlineLanes lanes;
  PlainSecrets secrets;
  SeededRandom random(1);
  const auto open = [&] {
    return open_sqlite_store({.path = folder.file("semel.db"), .secrets = secrets, .entropy = random, .on_fatal = {}},
                             lanes, lanes);
  };
  const Result<Opened> refused = open();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().note, HasSubstr("process " + std::to_string(child)));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(open());
  close(opened[0]);
  close(opened[1]);
}

TEST(SqliteStore, files_that_are_no_store_of_this_version_are_refused_and_left_as_they_are) {
  struct Case {
    const char* sql;
    const char* note;
  };
  for (const Case& c :
       {Case{"PRAGMA application_id=1397050700; PRAGMA user_version=2; CREATE TABLE t (x)", "newer version"},
        Case{"CREATE TABLE t (x)", "not a store"}}) {
    TempFolder folder;
    alter(folder.file("semel.db"), c.sql);
    const auto size = std::filesystem::file_size(folder.file("semel.db"));
    InlineLanes lanes;
    PlainSecrets secrets;
    SeededRandom random(1);
    const Result<Opened> opened = open_sqlite_store(
        {.path = folder.file("semel.db"), .secrets = secrets, .entropy = random, .on_fatal = {}}, lanes, lanes);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().fault, Fault::invalid);
    EXPECT_THAT(opened.error().note, HasSubstr(c.note));
    EXPECT_EQ(std::filesystem::file_size(folder.file("semel.db")), size);
    EXPECT_FALSE(std::filesystem::exists(folder.file("semel.db-wal")));
  }
}

TEST(SqliteStore, a_row_that_the_state_machine_forbids_cannot_be_stored) {
  TempFolder folder;
  const std::string path = folder.file("semel.db");
  TestStore(TestStore::Options{.path = path});
  for (const char* columns : {
           "(tenant, event_key, endpoint_key, state) VALUES (1, 1, 1, 1)",                   // due without a time
           "(tenant, event_key, endpoint_key, state, next_at_ms) VALUES (1, 1, 1, 5, 1)",    // no such state
           "(tenant, event_key, endpoint_key, state, closed_at_ms) VALUES (1, 1, 1, 8, 1)",  // dead without a reason
           "(tenant, event_key, endpoint_key, state, next_at_ms, line_key) VALUES (1, 1, 1, 1, 1, 1)",   // no sequence
           "(tenant, event_key, endpoint_key, state, started_at_ms, counts) VALUES (1, 1, 1, 2, 1, 1)",  // no attempt
       }) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, ("INSERT INTO delivery " + std::string(columns)).c_str(), nullptr, nullptr, nullptr),
              SQLITE_CONSTRAINT)
        << columns;
    sqlite3_close(handle);
  }
}

// ---- a write-set that breaks the schema's rules ----

TEST(SqliteStore, a_write_set_that_breaks_a_rule_of_the_schema_falls_alone) {
  TempFolder folder;
  TestStore store({.path = folder.file("semel.db")});
  store::Intake same_fresh_id = intake_of("e1");
  same_fresh_id.items[0].submission.id.reset();
  same_fresh_id.items[0].fresh_id = {"e0"};  // drawn twice: the id exists
  std::vector<store::WriteSet> group;
  group.emplace_back(intake_of("e0"));
  group.emplace_back(std::move(same_fresh_id));
  group.emplace_back(intake_of("e2"));
  const auto answers = store.commit_group(std::move(group));
  EXPECT_TRUE(is_committed(answers[0]));
  EXPECT_EQ(refusal(answers[1]), Fault::corrupt);
  ASSERT_TRUE(is_committed(answers[2]));
  const auto& intake = std::get<store::IntakeAnswer>(std::get<store::Committed>(answers[2]).made);
  EXPECT_EQ(std::get<store::Taken>(intake.items[0]).sequence, 2u);
}

// ---- bounds ----

TEST(SqliteStore, a_full_queue_refuses_and_what_is_queued_is_committed) {
  TempFolder folder;
  TestStore store({.path = folder.file("semel.db")});
  std::size_t refused = 0;
  std::size_t told = 0;
  for (std::size_t i = 0; i < kQueuedWriteSetsMax + 1; ++i)
    store.store().start_commit(store::DeleteApiKey{{"key_none"}}, [&](store::CommitAnswer answer) {
      ++told;
      if (refusal(answer) == Fault::busy) ++refused;
    });
  store.lanes().drain();
  EXPECT_EQ(told, kQueuedWriteSetsMax + 1);
  EXPECT_EQ(refused, 1u);
  EXPECT_TRUE(is_committed(store.commit(intake_of("e1"))));
}

constexpr std::uint64_t kLogCap = 1u << 20;

std::uintmax_t log_bytes_after(TestStore& store, const TempFolder& folder, int from, int to) {
  for (int i = from; i < to; ++i) EXPECT_TRUE(is_committed(store.commit(intake_of("e" + std::to_string(i)))));
  return std::filesystem::file_size(folder.file("semel.db-wal"));
}

TEST(SqliteStore, the_log_stays_under_its_cap_and_the_file_takes_over) {
  TempFolder folder;
  TestStore store({.path = folder.file("semel.db"), .log_bytes_max = kLogCap});
  EXPECT_LT(log_bytes_after(store, folder, 0, 600), kLogCap + kLogCap / 4);
  EXPECT_GT(std::filesystem::file_size(folder.file("semel.db")), 300u << 10);
}

TEST(SqliteStore, a_reader_that_lingers_lets_the_log_grow_but_stops_no_commit_and_the_log_settles_after_it) {
  TempFolder folder;
  TestStore store({.path = folder.file("semel.db"), .log_bytes_max = kLogCap});
  ASSERT_TRUE(is_committed(store.commit(intake_of("first"))));
  sqlite3* reader = nullptr;
  ASSERT_EQ(sqlite3_open(folder.file("semel.db").c_str(), &reader), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM event", nullptr, nullptr, nullptr), SQLITE_OK);
  const std::uintmax_t lingering = log_bytes_after(store, folder, 0, 200);
  EXPECT_GT(lingering, kLogCap);
  sqlite3_db_config(reader, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_exec(reader, "COMMIT", nullptr, nullptr, nullptr);
  sqlite3_close(reader);
  EXPECT_LT(log_bytes_after(store, folder, 200, 600), lingering + kLogCap / 2);
}

// ---- a failing disk ----

TEST(SqliteStore, without_space_nothing_is_acknowledged_reads_go_on_and_it_recovers) {
  TempFolder folder;
  RecordingVfs vfs("full");
  TestStore store({.path = folder.file("semel.db"), .vfs = vfs.name()});
  ASSERT_TRUE(is_committed(store.commit(intake_of("e1"))));
  for (int frames_that_fit = 0; frames_that_fit < 3; ++frames_that_fit) {
    vfs.fail_log_writes(SQLITE_FULL, frames_that_fit);
    const store::CommitAnswer answer = store.commit(intake_of("e2"));
    ASSERT_TRUE(std::holds_alternative<store::Unknown>(answer));
    EXPECT_FALSE(std::get<store::Unknown>(answer).fatal);
    EXPECT_TRUE(has_event(store, "e1"));
    EXPECT_FALSE(has_event(store, "e2"));
  }
  vfs.fail_log_writes(SQLITE_OK);
  const store::CommitAnswer answer = store.commit(intake_of("e2"));
  ASSERT_TRUE(is_committed(answer));
  const auto& intake = std::get<store::IntakeAnswer>(std::get<store::Committed>(answer).made);
  EXPECT_EQ(std::get<store::Taken>(intake.items[0]).sequence, 2u);
  EXPECT_FALSE(store.fatal());
  store.close();
  EXPECT_EQ(integrity(folder.file("semel.db")), "ok");
}

TEST(SqliteStore, a_routing_version_that_was_rolled_back_and_given_again_routes_by_what_was_committed) {
  TempFolder folder;
  RecordingVfs vfs("rolled_back");
  TestStore store({.path = folder.file("semel.db"), .vfs = vfs.name()});
  endpoint::Config config{.url = egress::read_url("https://shop.example/hook").value()};
  for (const char* id : {"ep_a", "ep_b"})
    ASSERT_TRUE(is_committed(
        store.commit(store::CreateEndpoint{kTenant, {id}, endpoint::config_json(config), "sealed", {}, {}})));
  const auto subscribe_and_take = [&](const char* endpoint, const char* event) {
    std::vector<store::WriteSet> group;
    group.emplace_back(store::CreateSubscription{kTenant, {"sub_1"}, {endpoint}, {"*"}, {}});
    group.emplace_back(intake_of(event));
    return store.commit_group(std::move(group));
  };
  vfs.fail_log_writes(SQLITE_FULL);
  ASSERT_TRUE(std::holds_alternative<store::Unknown>(subscribe_and_take("ep_a", "e1")[0]));
  vfs.fail_log_writes(SQLITE_OK);
  const auto answers = subscribe_and_take("ep_b", "e2");
  const auto& made = std::get<store::IntakeAnswer>(std::get<store::Committed>(answers[1]).made);
  EXPECT_THAT(std::get<store::Taken>(made.items[0]).endpoints, ElementsAre(EndpointId{"ep_b"}));
}

TEST(SqliteStore, a_failed_sync_or_write_is_unknown_and_ends_everything) {
  for (const bool sync : {true, false}) {
    TempFolder folder;
    RecordingVfs vfs("failing");
    TestStore store({.path = folder.file("semel.db"), .vfs = vfs.name()});
    ASSERT_TRUE(is_committed(store.commit(intake_of("e1"))));
    if (sync) {
      vfs.fail_log_syncs(SQLITE_IOERR_FSYNC);
    } else {
      vfs.fail_log_writes(SQLITE_IOERR_WRITE);
    }
    std::vector<store::WriteSet> group;
    group.emplace_back(intake_of("e2"));
    group.emplace_back(store::DeleteApiKey{{"key_none"}});
    for (const store::CommitAnswer& answer : store.commit_group(std::move(group))) {
      ASSERT_TRUE(std::holds_alternative<store::Unknown>(answer));
      EXPECT_TRUE(std::get<store::Unknown>(answer).fatal);
    }
    EXPECT_TRUE(store.fatal());
    vfs.fail_log_syncs(SQLITE_OK);
    vfs.fail_log_writes(SQLITE_OK);
    EXPECT_EQ(refusal(store.commit(intake_of("e3"))), Fault::unavailable);
    EXPECT_FALSE(store.read([](store::StoreReader& reader) { return reader.tenants(); }));
    store.reopen();  // as the next process does
    EXPECT_TRUE(has_event(store, "e1"));
    EXPECT_TRUE(is_committed(store.commit(intake_of("e3"))));
  }
}

// ---- power loss ----

// The loop, which notes how the log stood when each of its functions was handed to it: an answer counts from where the
// writer's lane lets go of it, not from when the loop comes to tell it.
class NotingExecutor final : public Executor {
 public:
  NotingExecutor(InlineLanes& loop, const RecordingVfs& vfs) : loop_(loop), vfs_(vfs) {}
  void post(std::move_only_function<void()> f) override {
    loop_.post([this, then = Log{vfs_.log_writes(), vfs_.log_is_synced()}, run = std::move(f)]() mutable {
      log_of_the_running_ = then;
      run();
    });
  }
  struct Log {
    int writes = 0;
    bool synced = false;
  };
  const Log& log_of_the_running() const { return log_of_the_running_; }

 private:
  InlineLanes& loop_;
  const RecordingVfs& vfs_;
  Log log_of_the_running_;
};

// Whether no answer left the writer before the sync of what it speaks of (I-ACK-DURABLE).
bool every_answer_followed_its_sync(Synchronous synchronous) {
  TempFolder folder;
  RecordingVfs vfs("counting");
  InlineLanes lanes;
  NotingExecutor executor(lanes, vfs);
  PlainSecrets secrets;
  SeededRandom random(1);
  const Result<Opened> opened = open_sqlite_store({.path = folder.file("semel.db"),
                                                   .secrets = secrets,
                                                   .entropy = random,
                                                   .vfs = vfs.name(),
                                                   .synchronous = synchronous,
                                                   .on_fatal = {}},
                                                  lanes, executor);
  int followed = 0;
  for (int i = 0; i < 20; ++i) {
    const int writes_before = vfs.log_writes();
    opened->store->start_commit(intake_of("e" + std::to_string(i)), [&](store::CommitAnswer answer) {
      EXPECT_TRUE(is_committed(answer));
      const NotingExecutor::Log& log = executor.log_of_the_running();
      if (log.writes > writes_before && log.synced) ++followed;
    });
    lanes.drain();
  }
  return followed == 20;
}

TEST(SqliteStore, no_commit_is_answered_before_the_sync_of_its_frames) {
  EXPECT_TRUE(every_answer_followed_its_sync(Synchronous::full));
  EXPECT_FALSE(every_answer_followed_its_sync(Synchronous::normal));  // so the measure can tell
}

// Events answered Committed that the disk no longer has after power failed at random moments.
int lost_to_power_failures(Synchronous synchronous) {
  int lost = 0;
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    TempFolder folder;
    SeededRandom random(seed);
    RecordingVfs vfs("lossy");
    TestStore store(
        {.path = folder.file("a.db"), .vfs = vfs.name(), .synchronous = synchronous, .log_bytes_max = 1u << 18});
    std::vector<std::string> acknowledged;
    const auto groups = static_cast<int>(random.between(1, 40));
    for (int group = 0; group < groups; ++group) {
      std::vector<store::WriteSet> write_sets;
      for (int i = 0; i < 4; ++i) {
        acknowledged.push_back("e" + std::to_string(group) + "-" + std::to_string(i));
        write_sets.emplace_back(intake_of(acknowledged.back(), "k" + std::to_string(i)));
      }
      for (const auto& answer : store.commit_group(std::move(write_sets))) EXPECT_TRUE(is_committed(answer));
    }
    // One more group is under way: its frames are written, their sync fails.
    vfs.fail_log_syncs(SQLITE_IOERR_FSYNC);
    static_cast<void>(store.commit(intake_of("under_way")));
    vfs.write_after_power_loss(folder.file("a.db"), folder.file("b.db"), random);

    TestStore survivor({.path = folder.file("b.db")});
    for (const std::string& id : acknowledged) lost += has_event(survivor, id) ? 0 : 1;
    survivor.close();
    EXPECT_EQ(integrity(folder.file("b.db")), "ok");
  }
  return lost;
}

TEST(SqliteStore, what_was_acknowledged_survives_power_failures_at_random_moments) {
  EXPECT_EQ(lost_to_power_failures(Synchronous::full), 0);
}

TEST(SqliteStore, without_full_sync_power_failures_lose_acknowledged_events) {
  EXPECT_GT(lost_to_power_failures(Synchronous::normal), 0);
}

// ---- kills ----

TEST(SqliteStore, what_was_acknowledged_survives_kills) {
  TempFolder folder;
  std::vector<std::string> acknowledged;
  SeededRandom random(3);
  for (int round = 0; round < 8; ++round) {
    std::array<int, 2> told{};
    ASSERT_EQ(pipe(told.data()), 0);
    const pid_t child = fork();
    if (child == 0) {
      TestStore store({.path = folder.file("semel.db"), .log_bytes_max = 1u << 18});
      for (std::uint32_t n = 0; n < 100'000; ++n) {
        const std::string id = "e" + std::to_string(round) + "-" + std::to_string(n);
        if (!is_committed(store.commit(intake_of(id)))) _exit(1);
        static_cast<void>(!write(told[1], &n, sizeof n));
      }
      _exit(0);
    }
    close(told[1]);
    const auto after = static_cast<std::uint32_t>(random.between(5, 150));
    std::uint32_t n = 0;
    while (read(told[0], &n, sizeof n) == sizeof n) {
      acknowledged.push_back("e" + std::to_string(round) + "-" + std::to_string(n));
      if (n == after) kill(child, SIGKILL);
    }
    waitpid(child, nullptr, 0);
    close(told[0]);
  }
  ASSERT_GT(acknowledged.size(), 40u);
  TestStore store({.path = folder.file("semel.db")});
  for (const std::string& id : acknowledged) EXPECT_TRUE(has_event(store, id)) << id;
  const auto last = store.commit(intake_of("last"));
  const auto events =
      store.read([](store::StoreReader& r) { return r.events({.tenant = kTenant, .after = {}, .limit = 1}); });
  EXPECT_EQ(events.value().at(0).sequence, 1u);
  const auto& intake = std::get<store::IntakeAnswer>(std::get<store::Committed>(last).made);
  const auto sequence = std::get<store::Taken>(intake.items[0]).sequence.value();
  EXPECT_GE(sequence, acknowledged.size() + 1);
  EXPECT_LE(sequence, acknowledged.size() + 1 + 8);  // at most one unheard commit per kill
}

// Runs in a process of its own, where SEMEL_FP is read afresh.
void take_one_event() {
  TestStore store({.path = std::getenv("SEMEL_TEST_STORE")});
  static_cast<void>(store.commit(intake_of("e1")));
  std::exit(0);
}

struct Killed {
  const char* at;
  bool event_is_there;
};
class SqliteStoreKilled : public testing::TestWithParam<Killed> {};

TEST_P(SqliteStoreKilled, the_event_is_there_only_if_it_was_committed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  std::optional<TempFolder> folder;
  if (!std::getenv("SEMEL_TEST_STORE")) {  // else this is the process that is to be killed
    folder.emplace();
    setenv("SEMEL_TEST_STORE", folder->file("semel.db").c_str(), 1);
    setenv("SEMEL_FP", GetParam().at, 1);
  }
  EXPECT_EXIT(take_one_event(), testing::KilledBySignal(SIGKILL), "");
  unsetenv("SEMEL_TEST_STORE");
  unsetenv("SEMEL_FP");
  TestStore store({.path = folder.value().file("semel.db")});
  EXPECT_EQ(has_event(store, "e1"), GetParam().event_is_there);
}

INSTANTIATE_TEST_SUITE_P(AroundACommit, SqliteStoreKilled,
                         testing::Values(Killed{"enq.after_insert:kill@1", false},
                                         Killed{"enq.after_commit:kill@1", true}),
                         [](const auto& info) {
                           return std::string(info.param.event_is_there ? "after_it" : "before_it");
                         });

class SqliteSubject final : public store::Subject {
 public:
  store::Store& store() override { return test_store_.store(); }
  void drain() override { test_store_.lanes().drain(); }
  void reopen() override { test_store_.reopen(); }

 private:
  TempFolder folder_;
  TestStore test_store_{{.path = folder_.file("semel.db")}};
};

}  // namespace
}  // namespace semel::sqlite

namespace semel::store {

StoreKind store_under_test() {
  return {"sqlite", [] { return std::make_unique<sqlite::SqliteSubject>(); }};
}

}  // namespace semel::store
