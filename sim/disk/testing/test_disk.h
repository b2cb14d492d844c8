// test_disk.h: a simulated disk of one's own, and its files, past SQLite.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sim/disk/sim_disk.h"

namespace semel::sim {

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

inline int remove_file(const std::string& path, int sync_folder = 0) {
  sqlite3_vfs* vfs = sqlite3_vfs_find("sim");
  return vfs->xDelete(vfs, path.c_str(), sync_folder);
}

}  // namespace semel::sim
