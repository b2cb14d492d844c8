// on_sim_disk_test.cc: SQLite and its store on the simulated disk.
#include <gmock/gmock.h>

#include <cstdlib>
#include <set>
#include <string>

#include "base/testing/temp_folder.h"
#include "core/intake/item_of.h"
#include "edge/sqlite/test_store.h"
#include "sim/disk/testing/test_disk.h"
#include "sim/kernel/testing/elsewhere.h"
#include "sim/kernel/testing/only.h"

namespace semel::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

using enum FaultClass;

class Database {
 public:
  Database(const std::string& path, const char* vfs) {
    EXPECT_EQ(sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs), SQLITE_OK);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    EXPECT_EQ(text("PRAGMA journal_mode=WAL"), "wal");
    EXPECT_EQ(run("PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0"), SQLITE_OK);
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database() { EXPECT_EQ(sqlite3_close(handle_), SQLITE_OK); }

  int run(const std::string& sql) { return sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr); }
  // The rows of one column, each behind a space.
  std::string text(const std::string& sql) {
    std::string all;
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr), SQLITE_OK) << sqlite3_errmsg(handle_);
    while (sqlite3_step(statement) == SQLITE_ROW) {
      if (!all.empty()) all += ' ';
      all += reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    }
    sqlite3_finalize(statement);
    return all;
  }
  int checkpoint(int mode = SQLITE_CHECKPOINT_PASSIVE) {
    return sqlite3_wal_checkpoint_v2(handle_, "main", mode, nullptr, nullptr);
  }

 private:
  sqlite3* handle_ = nullptr;
};

// Three connections, whose work is the same whatever is below: the rows they read on the way and at the end.
std::string plain_workload(const std::string& path, const char* vfs) {
  std::string seen;
  Database writer(path, vfs);
  Database reader(path, vfs);
  Database beside(path, vfs);
  writer.run("CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT, n INTEGER); CREATE INDEX by_v ON t (v)");
  SeededRandom random(5);
  for (int i = 0; i < 160; ++i) {
    const std::string key = std::to_string(random.below(300));
    const std::string value(random.below(900), static_cast<char>('a' + random.below(26)));
    writer.run("INSERT OR REPLACE INTO t VALUES (" + key + ", '" + value + "', " + std::to_string(i) + ")");
    if (i % 7 == 0) writer.run("DELETE FROM t WHERE k = " + std::to_string(random.below(300)));
    if (i % 10 == 3) reader.run("BEGIN");
    if (i % 10 < 8) seen += reader.text("SELECT count(*) || ':' || total(n) FROM t") + "\n";
    if (i % 10 == 7) reader.run("COMMIT");
    if (i % 25 == 0) beside.checkpoint();
    if (i % 60 == 0) writer.checkpoint(SQLITE_CHECKPOINT_RESTART);
    if (i % 130 == 129) writer.run("VACUUM");
  }
  seen += writer.text("SELECT k || v || n FROM t ORDER BY v, k");
  return seen + "\n" + reader.text("PRAGMA integrity_check");
}

TEST(SqliteOnSimDisk, sqlite_keeps_the_same_rows_on_it_as_on_the_files_of_the_operating_system) {
  TempFolder folder;
  TestDisk disk;
  const std::string on_it = plain_workload(folder.file("x"), "sim");
  EXPECT_THAT(on_it, HasSubstr("\nok"));
  EXPECT_EQ(on_it, plain_workload(folder.file("x"), nullptr));
  EXPECT_EQ(disk->broken_rule(), "");
}

TEST(SqliteOnSimDisk, a_rollback_journal_undoes_what_the_power_cut_short) {
  std::set<std::string> found;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    TestDisk disk(seed, only(crash_in_disk, percent(4)));
    sqlite3* handle = nullptr;
    sqlite3_open_v2("/d/x", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "sim");
    int last = 0;
    for (int i = 1; i <= 30; ++i)
      if (sqlite3_exec(handle,
                       ("BEGIN; CREATE TABLE t" + std::to_string(i) + " (x); PRAGMA user_version=" + std::to_string(i) +
                        "; COMMIT")
                           .c_str(),
                       nullptr, nullptr, nullptr) == SQLITE_OK)
        last = i;
    sqlite3_close(handle);
    disk->heal();
    disk->off("/d/");
    disk->power_cycle("/d/", SimDisk::Loss::unsynced);
    sqlite3_open_v2("/d/x", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "sim");
    int version = -1;
    int tables = -1;
    const auto take = [](void* to, int, char** columns, char**) {
      return *static_cast<int*>(to) = atoi(columns[0]), 0;
    };
    EXPECT_EQ(sqlite3_exec(handle, "PRAGMA user_version", take, &version, nullptr), SQLITE_OK) << seed;
    EXPECT_EQ(sqlite3_exec(handle, "SELECT count(*) FROM sqlite_schema", take, &tables, nullptr), SQLITE_OK) << seed;
    EXPECT_EQ(version, tables) << seed;
    // Without synchronous=EXTRA the removal of the journal is not durable, so the last commit may be undone.
    EXPECT_GE(version, last - 1) << seed;
    EXPECT_LE(version, last + 1) << seed;
    found.insert(version < last ? "undone" : version == last ? "kept" : "more");
    sqlite3_close(handle);
  }
  EXPECT_THAT(found, UnorderedElementsAre("undone", "kept", "more"));
}

TEST(SqliteOnSimDisk, a_writer_commits_between_the_steps_of_a_checkpoint) {
  TestDisk disk;
  Database writer("/d/x", "sim");
  Database beside("/d/x", "sim");
  Database third("/d/x", "sim");
  Database elsewhere("/d/y", "sim");
  writer.run("CREATE TABLE t (v TEXT)");
  elsewhere.run("CREATE TABLE t (v TEXT)");
  for (int i = 0; i < 40; ++i) writer.run("INSERT INTO t VALUES (zeroblob(2000))");
  int steps = 0;
  disk.between = [&](std::string_view path) {
    EXPECT_EQ(path, "/d/x");
    EXPECT_EQ(writer.run("INSERT INTO t VALUES (zeroblob(2000))"), SQLITE_OK);
    EXPECT_EQ(third.checkpoint(), SQLITE_BUSY);
    EXPECT_EQ(elsewhere.checkpoint(), SQLITE_OK);  // and this is not called inside itself
    ++steps;
  };
  EXPECT_EQ(beside.checkpoint(), SQLITE_OK);
  disk.between = [](std::string_view) {};
  EXPECT_GT(steps, 20);
  EXPECT_EQ(writer.text("SELECT count(*) FROM t"), std::to_string(40 + steps));
  EXPECT_EQ(writer.text("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(disk->broken_rule(), "");
}

TEST(SqliteOnSimDisk, a_checkpoint_on_a_fully_copied_log_beside_a_writer_breaks_the_rule) {
  TestDisk disk;
  Database writer("/d/x", "sim");
  Database beside("/d/x", "sim");
  writer.run("CREATE TABLE t (v TEXT)");
  beside.checkpoint();
  writer.run("INSERT INTO t VALUES (1)");
  beside.checkpoint();
  writer.checkpoint(SQLITE_CHECKPOINT_RESTART);  // its own: nothing commits beside it
  EXPECT_EQ(disk->broken_rule(), "");
  beside.checkpoint();
  EXPECT_EQ(disk->broken_rule(), "a checkpoint started on a fully copied log beside a connection that writes");
}

TEST(SqliteOnSimDisk, a_checkpoint_that_copies_unsynced_frames_breaks_the_rule) {
  TestDisk disk;
  Database writer("/d/x", "sim");
  writer.run("PRAGMA synchronous=OFF; CREATE TABLE t (v TEXT)");
  writer.checkpoint();
  EXPECT_EQ(disk->broken_rule(), "a checkpoint copies frames that are not synced");
}

TEST(SqliteOnSimDisk, a_log_that_begins_anew_before_the_file_is_synced_breaks_the_rule) {
  TestDisk disk;
  OpenFile database("/d/x");
  OpenFile log("/d/x-wal", OpenFile::kLog);
  log.write("first");
  EXPECT_EQ(disk->broken_rule(), "");
  database.write("copied");
  log.write("later", 5);
  EXPECT_EQ(disk->broken_rule(), "");
  log.write("again");
  EXPECT_EQ(disk->broken_rule(), "a log began anew while the file was not synced");
}

// ---- the store on it ----

constexpr TenantKey kTenant{1};

store::Intake intake_of(const std::string& id) {
  store::Intake intake{.tenant = kTenant, .client = "shop", .items = {}, .batch_key = {}};
  intake.items.push_back(intake::item_of(R"({"type":"a.b","data":"x","id":")" + id + R"(","ordering_key":"k"})"));
  return intake;
}

bool is_committed(const store::CommitAnswer& answer) { return std::holds_alternative<store::Committed>(answer); }

// Twenty incarnations of a store, each with one event more; what the trace has seen.
std::uint64_t twenty_power_failures(std::uint64_t seed) {
  TempFolder folder;
  TestDisk disk(seed);
  for (int turn = 0; turn < 20; ++turn) {
    {
      sqlite::TestStore store({.path = folder.file("semel.db"), .vfs = disk->vfs()});
      for (int i = 0; i < turn; ++i)
        EXPECT_TRUE(
            store.read([&](store::StoreReader& reader) { return reader.event(kTenant, {"e" + std::to_string(i)}); })
                .value()
                .has_value())
            << turn << ": " << i;
      EXPECT_TRUE(is_committed(store.commit(intake_of("e" + std::to_string(turn)))));
      disk->off(folder.file(""));
    }
    disk->power_cycle(folder.file(""), SimDisk::Loss::unsynced);
  }
  EXPECT_EQ(disk->broken_rule(), "");
  return disk.trace().hash();
}

TEST(StoreOnSimDisk, what_was_acknowledged_is_there_after_the_power_failed) { twenty_power_failures(1); }

TEST(StoreOnSimDisk, a_seed_writes_the_same_bytes_again_and_in_another_process) {
  const std::uint64_t hash = twenty_power_failures(7);
  EXPECT_EQ(hash, elsewhere([] { return twenty_power_failures(7); }));
  EXPECT_EQ(hash, twenty_power_failures(7));
  EXPECT_NE(hash, twenty_power_failures(8));
}

}  // namespace
}  // namespace semel::sim
