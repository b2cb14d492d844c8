// recording_vfs.h: a SQLite VFS for tests, over the operating system's: it knows what of each file is synced, can lose
// the rest as a power failure would, and fails on request.
//
// Each file has its durable bytes (as of its last sync) and the changes since. A power failure keeps, of each file's
// changes since its last sync, those that chance picks, in any combination. Shared memory passes through: it does not
// survive a crash anyway.
#pragma once

#include <sqlite3.h>

#include <cstring>
#include <fstream>
#include <map>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/random.h"

namespace semel::sqlite {

class RecordingVfs {
 public:
  explicit RecordingVfs(std::string name) : name_(std::move(name)), base_(sqlite3_vfs_find(nullptr)) {
    vfs_ = *base_;
    vfs_.pNext = nullptr;
    vfs_.zName = name_.c_str();
    vfs_.pAppData = this;
    vfs_.szOsFile = static_cast<int>(sizeof(File)) + base_->szOsFile;
    vfs_.xOpen = &open;
    vfs_.xDelete = &remove;
    vfs_.xAccess = [](sqlite3_vfs* v, const char* path, int flags, int* out) {
      return self(v)->base_->xAccess(self(v)->base_, path, flags, out);
    };
    vfs_.xFullPathname = [](sqlite3_vfs* v, const char* path, int size, char* out) {
      return self(v)->base_->xFullPathname(self(v)->base_, path, size, out);
    };
    SEMEL_CHECK(sqlite3_vfs_register(&vfs_, 0) == SQLITE_OK);
  }
  RecordingVfs(const RecordingVfs&) = delete;
  RecordingVfs& operator=(const RecordingVfs&) = delete;
  ~RecordingVfs() { sqlite3_vfs_unregister(&vfs_); }

  const std::string& name() const { return name_; }

  // Bytes written to the log since its last sync.
  bool log_is_synced() const {
    for (const auto& [path, content] : files_)
      if (path.ends_with("-wal") && !content.unsynced.empty()) return false;
    return true;
  }
  int log_writes() const { return log_writes_; }

  // Writes to the log fail from now on, after this many more; SQLITE_OK ends it.
  void fail_log_writes(int code, int after = 0) {
    log_write_code_ = code;
    log_writes_left_ = after;
  }
  // Syncs of the log fail from now on.
  void fail_log_syncs(int code) { log_sync_code_ = code; }

  // What the disk holds after the power failed now, as files named `path` + (none, -wal).
  void write_after_power_loss(const std::string& from, const std::string& to, Random& random) const {
    for (const char* suffix : {"", "-wal"}) {
      const auto found = files_.find(from + suffix);
      if (found == files_.end()) continue;
      std::string bytes = found->second.durable;
      for (const Change& change : found->second.unsynced)
        if (random.below(2) == 0) change.apply(bytes);
      std::ofstream(to + suffix, std::ios::binary) << bytes;
    }
  }

 private:
  struct Change {
    sqlite3_int64 offset;  // of a write; the new size of a truncation
    std::string bytes;
    bool truncates;
    void apply(std::string& content) const {
      const auto at = static_cast<std::size_t>(offset);
      if (truncates) {
        content.resize(std::min(at, content.size()));
        return;
      }
      if (content.size() < at + bytes.size()) content.resize(at + bytes.size());
      content.replace(at, bytes.size(), bytes);
    }
  };
  struct Content {
    std::string durable;
    std::vector<Change> unsynced;
  };
  struct File {
    sqlite3_file base;
    RecordingVfs* vfs;
    Content* content;  // nullptr: a temporary file
    bool is_log;
    sqlite3_file* under() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  };

  static RecordingVfs* self(sqlite3_vfs* vfs) { return static_cast<RecordingVfs*>(vfs->pAppData); }
  static File* as_file(sqlite3_file* file) { return reinterpret_cast<File*>(file); }

  static int open(sqlite3_vfs* v, const char* path, sqlite3_file* raw, int flags, int* out_flags) {
    RecordingVfs* vfs = self(v);
    File* file = new (raw) File{};
    file->vfs = vfs;
    const int code = vfs->base_->xOpen(vfs->base_, path, file->under(), flags, out_flags);
    if (code != SQLITE_OK) return code;
    file->base.pMethods = methods();
    file->content = path ? &vfs->files_[path] : nullptr;
    file->is_log = (flags & SQLITE_OPEN_WAL) != 0;
    return SQLITE_OK;
  }
  static int remove(sqlite3_vfs* v, const char* path, int sync) {
    self(v)->files_[path] = {};
    return self(v)->base_->xDelete(self(v)->base_, path, sync);
  }

  static int write(sqlite3_file* raw, const void* bytes, int size, sqlite3_int64 offset) {
    File* file = as_file(raw);
    if (file->is_log) {
      ++file->vfs->log_writes_;
      if (file->vfs->log_write_code_ != SQLITE_OK && file->vfs->log_writes_left_-- <= 0)
        return file->vfs->log_write_code_;
    }
    const int code = file->under()->pMethods->xWrite(file->under(), bytes, size, offset);
    if (code == SQLITE_OK && file->content)
      file->content->unsynced.push_back(
          {offset, std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(size)), false});
    return code;
  }
  static int truncate(sqlite3_file* raw, sqlite3_int64 size) {
    File* file = as_file(raw);
    const int code = file->under()->pMethods->xTruncate(file->under(), size);
    if (code == SQLITE_OK && file->content) file->content->unsynced.push_back({size, "", true});
    return code;
  }
  static int sync(sqlite3_file* raw, int flags) {
    File* file = as_file(raw);
    if (file->is_log && file->vfs->log_sync_code_ != SQLITE_OK) return file->vfs->log_sync_code_;
    const int code = file->under()->pMethods->xSync(file->under(), flags);
    if (code == SQLITE_OK && file->content) {
      for (const Change& change : file->content->unsynced) change.apply(file->content->durable);
      file->content->unsynced.clear();
    }
    return code;
  }

  static const sqlite3_io_methods* methods() {
    static const sqlite3_io_methods table = [] {
      sqlite3_io_methods m{};
      m.iVersion = 2;
      m.xClose = [](sqlite3_file* f) { return as_file(f)->under()->pMethods->xClose(as_file(f)->under()); };
      m.xRead = [](sqlite3_file* f, void* to, int size, sqlite3_int64 at) {
        return as_file(f)->under()->pMethods->xRead(as_file(f)->under(), to, size, at);
      };
      m.xWrite = &write;
      m.xTruncate = &truncate;
      m.xSync = &sync;
      m.xFileSize = [](sqlite3_file* f, sqlite3_int64* size) {
        return as_file(f)->under()->pMethods->xFileSize(as_file(f)->under(), size);
      };
      m.xLock = [](sqlite3_file* f, int lock) {
        return as_file(f)->under()->pMethods->xLock(as_file(f)->under(), lock);
      };
      m.xUnlock = [](sqlite3_file* f, int lock) {
        return as_file(f)->under()->pMethods->xUnlock(as_file(f)->under(), lock);
      };
      m.xCheckReservedLock = [](sqlite3_file* f, int* out) {
        return as_file(f)->under()->pMethods->xCheckReservedLock(as_file(f)->under(), out);
      };
      m.xFileControl = [](sqlite3_file* f, int op, void* arg) {
        return as_file(f)->under()->pMethods->xFileControl(as_file(f)->under(), op, arg);
      };
      m.xSectorSize = [](sqlite3_file* f) { return as_file(f)->under()->pMethods->xSectorSize(as_file(f)->under()); };
      m.xDeviceCharacteristics = [](sqlite3_file* f) {
        return as_file(f)->under()->pMethods->xDeviceCharacteristics(as_file(f)->under());
      };
      m.xShmMap = [](sqlite3_file* f, int page, int size, int extend, void volatile** out) {
        return as_file(f)->under()->pMethods->xShmMap(as_file(f)->under(), page, size, extend, out);
      };
      m.xShmLock = [](sqlite3_file* f, int offset, int n, int flags) {
        return as_file(f)->under()->pMethods->xShmLock(as_file(f)->under(), offset, n, flags);
      };
      m.xShmBarrier = [](sqlite3_file* f) { as_file(f)->under()->pMethods->xShmBarrier(as_file(f)->under()); };
      m.xShmUnmap = [](sqlite3_file* f, int remove_file) {
        return as_file(f)->under()->pMethods->xShmUnmap(as_file(f)->under(), remove_file);
      };
      return m;
    }();
    return &table;
  }

  std::string name_;
  sqlite3_vfs* base_;
  sqlite3_vfs vfs_;
  std::map<std::string, Content> files_;
  int log_writes_ = 0;
  int log_write_code_ = SQLITE_OK;
  int log_writes_left_ = 0;
  int log_sync_code_ = SQLITE_OK;
};

}  // namespace semel::sqlite
