// sim_disk_test.cc: the disk as SQLite's file system, operation by operation.
#include "sim/disk/sim_disk.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "sim/disk/testing/test_disk.h"
#include "sim/kernel/testing/only.h"

namespace semel::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

using enum FaultClass;

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

}  // namespace
}  // namespace semel::sim
