// sim_disk_test.cc: the disk as SQLite's file system, operation by operation, and under SQLite and the store.
#include "sim/disk/sim_disk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/intake/item_of.h"
#include "edge/sqlite/test_store.h"
#include "sim/kernel/testing/elsewhere.h"
#include "sim/kernel/testing/only.h"

namespace semel::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using enum FaultClass;

// A disk with the faults asked for, and what it told its world.
class TestDisk {
 public:
  explicit TestDisk(std::uint64_t seed = 1, Faults::Rates rates = {})
      : faults_(seed, rates, {}),
        disk_({.name = "sim",
               .crash_wanted = [this](std::string_view path) { crashes.emplace_back(path); },
               .between_checkpoint_steps = [this](std::string_view path) { between(path); }},
              Draw(seed, "disk"), faults_, trace_) {}

  SimDisk* operator->() { return &disk_; }
  Trace& trace() { return trace_; }

  std::vector<std::string> names() {
    std::vector<std::string> names;
    disk_.for_each_file("", [&](std::string_view path, std::string_view) { names.emplace_back(path); });
    return names;
  }

  std::vector<std::string> crashes;
  std::function<void(std::string_view)> between = [](std::string_view) {};

 private:
  Trace trace_;
  Faults faults_;
  SimDisk disk_;
};

// One open file, past SQLite.
class OpenFile {
 public:
  static constexpr int kDatabase = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  static constexpr int kLog = SQLITE_OPEN_WAL | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;

  OpenFile(std::string path, int flags = kDatabase) : path_(std::move(path)) {
    sqlite3_vfs* vfs = sqlite3_vfs_find("sim");
    memory_.resize((static_cast<std::size_t>(vfs->szOsFile) + 7) / 8);
    code_ = vfs->xOpen(vfs, path_.c_str(), file(), flags, nullptr);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { close(); }
  void close() {
    if (file()->pMethods) file()->pMethods->xClose(file());
    file()->pMethods = nullptr;
  }

  int code() const { return code_; }
  int write(const std::string& bytes, sqlite3_int64 at = 0) {
    return file()->pMethods->xWrite(file(), bytes.data(), static_cast<int>(bytes.size()), at);
  }
  std::string read(std::size_t size, int expected_code = SQLITE_OK, sqlite3_int64 at = 0) {
    std::string bytes(size, '?');
    EXPECT_EQ(file()->pMethods->xRead(file(), bytes.data(), static_cast<int>(size), at), expected_code);
    return bytes;
  }
  int read_code() {
    char byte = 0;
    return file()->pMethods->xRead(file(), &byte, 1, 0);
  }
  int truncate(sqlite3_int64 size) { return file()->pMethods->xTruncate(file(), size); }
  int sync() { return file()->pMethods->xSync(file(), SQLITE_SYNC_NORMAL); }
  int size_code() {
    sqlite3_int64 size = 0;
    return file()->pMethods->xFileSize(file(), &size);
  }
  int lock(int level) { return file()->pMethods->xLock(file(), level); }
  int unlock(int level) { return file()->pMethods->xUnlock(file(), level); }
  bool is_reserved() {
    int reserved = -1;
    EXPECT_EQ(file()->pMethods->xCheckReservedLock(file(), &reserved), SQLITE_OK);
    return reserved == 1;
  }
  volatile char* map() {
    volatile void* region = nullptr;
    EXPECT_EQ(file()->pMethods->xShmMap(file(), 0, 32'768, 1, &region), SQLITE_OK);
    return static_cast<volatile char*>(region);
  }
  void unmap() { file()->pMethods->xShmUnmap(file(), 0); }
  int lock_slot(int slot, int how) { return file()->pMethods->xShmLock(file(), slot, 1, SQLITE_SHM_LOCK | how); }
  int unlock_slot(int slot, int how) { return file()->pMethods->xShmLock(file(), slot, 1, SQLITE_SHM_UNLOCK | how); }

 private:
  sqlite3_file* file() { return static_cast<sqlite3_file*>(static_cast<void*>(memory_.data())); }
  std::string path_;
  std::vector<std::int64_t> memory_;
  int code_;
};

int remove_file(const std::string& path, int sync_folder = 0) {
  sqlite3_vfs* vfs = sqlite3_vfs_find("sim");
  return vfs->xDelete(vfs, path.c_str(), sync_folder);
}

// ---- files ----

TEST(SimDisk, bytes_are_read_as_they_were_written_and_what_was_never_written_is_zero) {
  TestDisk disk;
  OpenFile file("/d/x");
  EXPECT_EQ(file.write("abc", 2), SQLITE_OK);
  EXPECT_EQ(file.read(5), std::string("\0\0abc", 5));
  EXPECT_EQ(file.read(3, SQLITE_IOERR_SHORT_READ, 4), std::string("c\0\0", 3));
  EXPECT_EQ(file.truncate(3), SQLITE_OK);
  EXPECT_EQ(file.read(4, SQLITE_IOERR_SHORT_READ), std::string("\0\0a\0", 4));
}

TEST(SimDisk, a_file_that_is_not_there_is_opened_only_to_create_it) {
  TestDisk disk;
  EXPECT_EQ(OpenFile("/d/x", SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_READWRITE).code(), SQLITE_CANTOPEN);
  EXPECT_EQ(OpenFile("/d/x").code(), SQLITE_OK);
  EXPECT_EQ(OpenFile("/d/x", SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_READWRITE).code(), SQLITE_OK);
  EXPECT_EQ(remove_file("/d/x"), SQLITE_OK);
  EXPECT_EQ(remove_file("/d/x"), SQLITE_IOERR_DELETE_NOENT);
}

TEST(SimDisk, a_removed_file_lives_on_for_who_has_it_open) {
  TestDisk disk;
  OpenFile file("/d/x");
  file.write("old");
  remove_file("/d/x");
  OpenFile other("/d/x");
  other.write("new");
  EXPECT_EQ(file.read(3), "old");
}

TEST(SimDisk, to_sqlite_an_empty_file_is_not_there) {
  TestDisk disk;
  sqlite3_vfs* vfs = sqlite3_vfs_find("sim");
  OpenFile file("/d/x");
  int exists = -1;
  EXPECT_EQ(vfs->xAccess(vfs, "/d/x", SQLITE_ACCESS_EXISTS, &exists), SQLITE_OK);
  EXPECT_EQ(exists, 0);
  file.write("a");
  EXPECT_EQ(vfs->xAccess(vfs, "/d/x", SQLITE_ACCESS_EXISTS, &exists), SQLITE_OK);
  EXPECT_EQ(exists, 1);
}

// Names found over many power failures, after `act` with a database and its log.
template <class F>
std::set<std::vector<std::string>> names_found(F act) {
  std::set<std::vector<std::string>> found;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    TestDisk disk(seed);
    act();
    disk->off("/d/");
    disk->power_cycle("/d/", SimDisk::Loss::unsynced);
    found.insert(disk.names());
  }
  return found;
}

TEST(SimDisk, the_first_sync_of_a_log_makes_every_name_of_its_folder_durable_and_that_of_a_database_none) {
  EXPECT_THAT(names_found([] {
                OpenFile database("/d/x");
                database.sync();
                OpenFile("/d/x-wal", OpenFile::kLog);
              }),
              UnorderedElementsAre(ElementsAre(), ElementsAre("/d/x"), ElementsAre("/d/x-wal"),
                                   ElementsAre("/d/x", "/d/x-wal")));
  EXPECT_THAT(names_found([] {
                OpenFile database("/d/x");
                OpenFile("/d/x-wal", OpenFile::kLog).sync();
              }),
              UnorderedElementsAre(ElementsAre("/d/x", "/d/x-wal")));
}

TEST(SimDisk, a_removal_is_durable_when_sqlite_asks_for_it) {
  const auto with_log = [] {
    OpenFile log("/d/x-wal", OpenFile::kLog);
    log.write("a");
    log.sync();
  };
  EXPECT_THAT(names_found([&] { with_log(), remove_file("/d/x-wal"); }),
              UnorderedElementsAre(ElementsAre(), ElementsAre("/d/x-wal")));
  EXPECT_THAT(names_found([&] { with_log(), remove_file("/d/x-wal", 1); }), UnorderedElementsAre(ElementsAre()));
}

// ---- power ----

TEST(SimDisk, when_only_the_process_dies_everything_is_there) {
  TestDisk disk;
  OpenFile("/d/x").write("unsynced");
  disk->off("/d/");
  disk->power_cycle("/d/", SimDisk::Loss::nothing);
  EXPECT_EQ(OpenFile("/d/x").read(8), "unsynced");
}

TEST(SimDisk, what_is_off_fails_and_changes_nothing_and_others_go_on) {
  TestDisk disk;
  OpenFile file("/d/x");
  OpenFile other("/e/x");
  file.write("before");
  disk->off("/d/");
  EXPECT_EQ(file.write("after"), SQLITE_IOERR_WRITE);
  EXPECT_EQ(file.truncate(0), SQLITE_IOERR_TRUNCATE);
  EXPECT_EQ(file.sync(), SQLITE_IOERR_FSYNC);
  EXPECT_EQ(file.size_code(), SQLITE_IOERR_FSTAT);
  EXPECT_EQ(file.lock(SQLITE_LOCK_SHARED), SQLITE_IOERR_LOCK);
  EXPECT_EQ(file.lock_slot(0, SQLITE_SHM_EXCLUSIVE), SQLITE_IOERR_SHMLOCK);
  file.read(6, SQLITE_IOERR_READ);
  EXPECT_EQ(OpenFile("/d/y").code(), SQLITE_CANTOPEN);
  EXPECT_EQ(remove_file("/d/x"), SQLITE_IOERR_DELETE);
  EXPECT_EQ(other.write("after"), SQLITE_OK);
  file.close();
  disk->power_cycle("/d/", SimDisk::Loss::nothing);
  EXPECT_EQ(OpenFile("/d/x").read(6), "before");
  EXPECT_THAT(disk.names(), ElementsAre("/d/x", "/e/x"));
}

TEST(SimDisk, who_syncs_again_after_a_failed_sync_may_have_lost_what_he_wrote) {
  std::set<std::string> found;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    TestDisk disk(seed, only(disk_io_error, percent(30)));
    {
      OpenFile log("/d/x-wal", OpenFile::kLog);
      if (log.code() != SQLITE_OK || log.write("old") != SQLITE_OK || log.sync() != SQLITE_OK) continue;
      if (log.write("new") != SQLITE_OK || log.sync() == SQLITE_OK) continue;
      disk->heal();
      EXPECT_EQ(log.sync(), SQLITE_OK);
      EXPECT_EQ(log.read(3), "new");
    }
    disk->power_cycle("/d/", SimDisk::Loss::unsynced);
    found.insert(OpenFile("/d/x-wal", OpenFile::kLog).read(3));
  }
  EXPECT_THAT(found, UnorderedElementsAre("old", "new"));
}

// ---- locks ----

TEST(SimDisk, locks_of_a_file_are_those_of_sqlite) {
  TestDisk disk;
  OpenFile a("/d/x");
  OpenFile b("/d/x");
  OpenFile elsewhere("/d/y");
  EXPECT_EQ(a.lock(SQLITE_LOCK_SHARED), SQLITE_OK);
  EXPECT_EQ(b.lock(SQLITE_LOCK_SHARED), SQLITE_OK);
  EXPECT_FALSE(b.is_reserved());
  EXPECT_EQ(a.lock(SQLITE_LOCK_RESERVED), SQLITE_OK);
  EXPECT_TRUE(b.is_reserved());
  EXPECT_EQ(b.lock(SQLITE_LOCK_RESERVED), SQLITE_BUSY);
  EXPECT_EQ(a.lock(SQLITE_LOCK_EXCLUSIVE), SQLITE_BUSY);  // and waits: no new reader
  b.unlock(SQLITE_LOCK_NONE);
  EXPECT_EQ(b.lock(SQLITE_LOCK_SHARED), SQLITE_BUSY);
  EXPECT_EQ(a.lock(SQLITE_LOCK_EXCLUSIVE), SQLITE_OK);
  EXPECT_EQ(elsewhere.lock(SQLITE_LOCK_SHARED), SQLITE_OK);
  a.close();
  EXPECT_EQ(b.lock(SQLITE_LOCK_SHARED), SQLITE_OK);
}

TEST(SimDisk, slots_are_held_by_many_or_by_one) {
  TestDisk disk;
  OpenFile a("/d/x");
  OpenFile b("/d/x");
  a.map();
  b.map();
  constexpr int kSlot = 3;
  EXPECT_EQ(a.lock_slot(kSlot, SQLITE_SHM_SHARED), SQLITE_OK);
  EXPECT_EQ(b.lock_slot(kSlot, SQLITE_SHM_SHARED), SQLITE_OK);
  EXPECT_EQ(b.unlock_slot(kSlot, SQLITE_SHM_SHARED), SQLITE_OK);
  EXPECT_EQ(b.lock_slot(kSlot, SQLITE_SHM_EXCLUSIVE), SQLITE_BUSY);
  EXPECT_EQ(a.unlock_slot(kSlot, SQLITE_SHM_SHARED), SQLITE_OK);
  EXPECT_EQ(b.lock_slot(kSlot, SQLITE_SHM_EXCLUSIVE), SQLITE_OK);
  EXPECT_EQ(a.lock_slot(kSlot, SQLITE_SHM_SHARED), SQLITE_BUSY);
  EXPECT_EQ(a.lock_slot(kSlot + 1, SQLITE_SHM_EXCLUSIVE), SQLITE_OK);
  b.close();
  EXPECT_EQ(a.lock_slot(kSlot, SQLITE_SHM_SHARED), SQLITE_OK);
}

TEST(SimDisk, shared_memory_lasts_while_one_has_it) {
  TestDisk disk;
  OpenFile a("/d/x");
  OpenFile b("/d/x");
  a.map()[5] = 'a';
  EXPECT_EQ(b.map()[5], 'a');
  a.unmap();
  EXPECT_EQ(b.map()[5], 'a');
  b.unmap();
  EXPECT_EQ(a.map()[5], '\0');
}

// ---- faults ----

TEST(SimDisk, healed_it_fails_no_more) {
  TestDisk disk(1, only(disk_io_error, percent(100)));
  EXPECT_EQ(OpenFile("/d/x").code(), SQLITE_CANTOPEN);
  disk->heal();
  EXPECT_EQ(OpenFile("/d/x").code(), SQLITE_OK);
}

TEST(SimDisk, each_operation_fails_by_draw_and_with_its_own_code) {
  std::set<int> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    TestDisk disk(seed, only(disk_io_error, percent(50)));
    OpenFile file("/d/x");
    if (file.code() != SQLITE_OK) continue;
    seen.insert({file.write("a"), file.sync(), file.read_code(), file.truncate(0)});
    seen.insert(remove_file("/d/x"));
  }
  EXPECT_THAT(seen, UnorderedElementsAre(SQLITE_OK, SQLITE_IOERR_READ, SQLITE_IOERR_SHORT_READ, SQLITE_IOERR_WRITE,
                                         SQLITE_IOERR_FSYNC, SQLITE_IOERR_TRUNCATE, SQLITE_IOERR_DELETE));
}

TEST(SimDisk, a_full_disk_takes_what_needs_no_space_and_is_over_some_time) {
  std::set<int> growths;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    TestDisk disk(seed, only(disk_full, percent(30)));
    OpenFile file("/d/x");
    for (int i = 0; i < 100'000 && file.write("abc") != SQLITE_OK; ++i) {
    }
    EXPECT_EQ(file.write("xyz"), SQLITE_OK);
    growths.insert(file.write("xyz", 1));
    EXPECT_EQ(file.read(1), "x");
  }
  EXPECT_THAT(growths, UnorderedElementsAre(SQLITE_OK, SQLITE_FULL));
}

TEST(SimDisk, a_full_disk_is_so_for_more_than_one_operation) {
  int longest = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    TestDisk disk(seed, only(disk_full, percent(1)));
    OpenFile file("/d/x");
    for (int i = 0, in_a_row = 0; i < 500; ++i) {
      in_a_row = file.write("a", i) == SQLITE_FULL ? in_a_row + 1 : 0;
      longest = std::max(longest, in_a_row);
    }
  }
  EXPECT_GT(longest, 10);
}

TEST(SimDisk, a_full_disk_is_so_until_it_is_healed_when_nothing_else_ends_it) {
  TestDisk disk(1, only(disk_full, percent(100)));
  OpenFile file("/d/x");
  for (int i = 0; i < 10'000; ++i) ASSERT_EQ(file.write("abc"), SQLITE_FULL);
  disk->heal();
  EXPECT_EQ(file.write("abc"), SQLITE_OK);
}

TEST(SimDisk, the_last_operation_of_a_process_happens_or_not_or_in_part_and_none_comes_after_it) {
  std::set<std::string> found;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    TestDisk disk(seed, only(crash_in_disk, percent(50)));
    OpenFile file("/d/x");
    if (file.code() != SQLITE_OK) continue;
    const int code = file.write(std::string(512, 'a') + std::string(512, 'b'));
    if (code == SQLITE_OK) continue;
    EXPECT_EQ(code, SQLITE_IOERR_WRITE);
    EXPECT_THAT(disk.crashes, ElementsAre("/d/x"));
    EXPECT_EQ(file.write("c"), SQLITE_IOERR_WRITE);
    EXPECT_EQ(OpenFile("/d/x-wal", OpenFile::kLog).code(), SQLITE_CANTOPEN);
    disk->for_each_file("/d/x", [&](std::string_view, std::string_view bytes) { found.emplace(bytes); });
  }
  EXPECT_THAT(found, UnorderedElementsAre("", std::string(512, 'a'), std::string(512, 'a') + std::string(512, 'b')));
}

TEST(SimDisk, a_crash_takes_one_database_with_its_log_and_leaves_the_others) {
  for (std::uint64_t seed = 0;; ++seed) {
    ASSERT_LT(seed, 100u);
    TestDisk disk(seed, only(crash_in_disk, percent(20)));
    OpenFile log("/d/x-wal", OpenFile::kLog);
    OpenFile database("/d/x");
    OpenFile neighbour("/d/y");
    if (!disk.crashes.empty() || log.write("a") == SQLITE_OK) continue;
    disk->heal();
    EXPECT_EQ(database.write("b"), SQLITE_IOERR_WRITE);
    EXPECT_EQ(neighbour.write("b"), SQLITE_OK);
    return;
  }
}

// ---- SQLite on it ----

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

TEST(SimDisk, sqlite_keeps_the_same_rows_on_it_as_on_the_files_of_the_operating_system) {
  sqlite::TempFolder folder;
  TestDisk disk;
  const std::string on_it = plain_workload(folder.file("x"), "sim");
  EXPECT_THAT(on_it, HasSubstr("\nok"));
  EXPECT_EQ(on_it, plain_workload(folder.file("x"), nullptr));
  EXPECT_EQ(disk->broken_rule(), "");
}

TEST(SimDisk, a_rollback_journal_undoes_what_the_power_cut_short) {
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

TEST(SimDisk, a_writer_commits_between_the_steps_of_a_checkpoint) {
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

TEST(SimDisk, a_checkpoint_on_a_fully_copied_log_beside_a_writer_breaks_the_rule) {
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

TEST(SimDisk, a_checkpoint_that_copies_unsynced_frames_breaks_the_rule) {
  TestDisk disk;
  Database writer("/d/x", "sim");
  writer.run("PRAGMA synchronous=OFF; CREATE TABLE t (v TEXT)");
  writer.checkpoint();
  EXPECT_EQ(disk->broken_rule(), "a checkpoint copies frames that are not synced");
}

TEST(SimDisk, a_log_that_begins_anew_before_the_file_is_synced_breaks_the_rule) {
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
  sqlite::TempFolder folder;
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
