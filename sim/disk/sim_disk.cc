// sim_disk.cc: what SQLite asks of an operating system, answered from memory: files, locks and shared memory.
#include "sim/disk/sim_disk.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "base/check.h"
#include "sim/disk/disk_faults.h"
#include "sim/disk/disk_file.h"
#include "sim/disk/shared_memory.h"

namespace semel::sim {
namespace {

// As SQLite's own VFS for Unix says of most file systems: a torn write leaves the bytes around it alone.
constexpr int kSectorBytesTold = 4'096;
constexpr int kDeviceTold = SQLITE_IOCAP_POWERSAFE_OVERWRITE;
constexpr int kPathBytesMax = 512;
constexpr sqlite3_int64 kNow = 212'662'000'000'000;  // Julian, in milliseconds
// Headers of a log and of its frames are no longer than this; they hold checksums of all the rest.
constexpr int kHeaderBytes = 32;

enum class FileKind : std::uint8_t { database, log, other, unnamed };

std::string_view database_of(std::string_view path) {
  for (const std::string_view suffix : {"-wal", "-journal"})
    if (path.ends_with(suffix)) return path.substr(0, path.size() - suffix.size());
  return path;
}

// Held by one connection: a bit for each slot.
struct Slots {
  unsigned shared = 0;
  unsigned exclusive = 0;
};

}  // namespace

struct SimDisk::State {
  // One open file of one connection. SQLite owns its memory.
  struct Handle : sqlite3_file {
    State& disk;
    std::shared_ptr<DiskFile> file;
    std::string path;
    FileKind kind;
    bool syncs_folder;  // with its next sync
    bool off = false;
    int lock = SQLITE_LOCK_NONE;
    std::shared_ptr<SharedMemory> shared_memory = nullptr;
    Slots slots = {};
    bool has_written = false;  // to the log
    bool checkpoints = false;

    Fate fate_of(DiskOperation operation) {
      return kind == FileKind::unnamed ? Fate{} : disk.chance.fate_of(operation);
    }
    int end(DiskOperation operation, const Fate& fate, std::uint64_t offset, std::uint64_t size) {
      disk.fold(operation, *file, offset, size);
      if (fate.last) disk.crash_in(path);
      return fate.code;
    }
  };

  State(Options given, Draw stream, Faults& faults, Trace& trace_of_world);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  static State& self(sqlite3_vfs* vfs) { return *static_cast<State*>(vfs->pAppData); }
  static Handle& handle(sqlite3_file* file) { return *static_cast<Handle*>(file); }
  static sqlite3_vfs make_vfs();
  static const sqlite3_io_methods* io_methods();

  static int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* raw, int flags, int* out_flags);
  static int close(sqlite3_file* raw);
  static int read(sqlite3_file* raw, void* to, int size, sqlite3_int64 offset);
  static int write(sqlite3_file* raw, const void* bytes, int size, sqlite3_int64 offset);
  static int truncate(sqlite3_file* raw, sqlite3_int64 size);
  static int sync(sqlite3_file* raw, int flags);
  static int file_size(sqlite3_file* raw, sqlite3_int64* size);
  static int file_control(sqlite3_file* raw, int operation, void* argument);
  static int lock(sqlite3_file* raw, int level);
  static int unlock(sqlite3_file* raw, int level);
  static int check_reserved_lock(sqlite3_file* raw, int* out);
  static int map(sqlite3_file* raw, int region, int size, int extend, void volatile** out);
  static int lock_slots(sqlite3_file* raw, int first, int count, int flags);
  static int unmap(sqlite3_file* raw, int remove);
  static int remove(sqlite3_vfs* vfs, const char* path, int sync_folder);
  static int access(sqlite3_vfs* vfs, const char* path, int flags, int* out);

  bool is_off(std::string_view path) const {
    return std::ranges::any_of(off, [&](const std::string& prefix) { return path.starts_with(prefix); });
  }
  void turn_off(std::string_view prefix);
  void crash_in(std::string_view path);
  void fold(DiskOperation operation, const DiskFile& file, std::uint64_t offset, std::uint64_t size);

  // Of other handles of the same file.
  template <class F>
  bool any_other(const Handle& one, F holds) const {
    return std::ranges::any_of(
        handles, [&](const Handle* other) { return other != &one && other->file == one.file && holds(*other); });
  }
  void note_writer(const Handle& log);
  void pause_in_checkpoint(const Handle& main);
  void judge_checkpoint_start(const Handle& main);
  void judge_copying(const Handle& main);
  void judge_log_beginning_anew(const Handle& log);
  void break_rule(std::string_view what) {
    if (broken_rule.empty()) broken_rule = what;
  }

  Options options;
  Draw draw;
  DiskFaults chance;
  Trace& trace;
  sqlite3_vfs vfs = make_vfs();
  DiskNames names;
  std::vector<Handle*> handles;
  std::vector<std::string> off;  // prefixes
  bool paused = false;           // a checkpoint is, between two of its steps
  std::uint64_t operations = 0;
  std::uint64_t power_cycles = 0;
  std::string broken_rule;
};

// ---- the disk as a whole ----

SimDisk::State::State(Options given, Draw stream, Faults& faults, Trace& trace_of_world)
    : options(std::move(given)), draw(std::move(stream)), chance(faults), trace(trace_of_world) {
  // As edge/sqlite/connection.cc does, which comes too late once this has registered a VFS.
  static const int without_statistics = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  static_cast<void>(without_statistics);
  vfs.zName = options.name.c_str();
  vfs.pAppData = this;
  SEMEL_CHECK(sqlite3_vfs_register(&vfs, 0) == SQLITE_OK);
  // It goes into the salts of logs, so into their bytes.
  sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, static_cast<int>(draw.between(1, 0x7FFF'FFFF)), nullptr);
}

SimDisk::State::~State() {
  SEMEL_CHECK(handles.empty());
  sqlite3_vfs_unregister(&vfs);
}

void SimDisk::State::turn_off(std::string_view prefix) {
  off.emplace_back(prefix);
  for (Handle* one : handles)
    if (std::string_view(one->path).starts_with(prefix)) one->off = true;
}

void SimDisk::State::crash_in(std::string_view path) {
  const std::string database(database_of(path));
  turn_off(database);
  if (options.crash_wanted) options.crash_wanted(path);
}

void SimDisk::State::fold(DiskOperation operation, const DiskFile& file, std::uint64_t offset, std::uint64_t size) {
  trace.fold(file.number() << 8 | static_cast<std::uint64_t>(operation));
  trace.fold(offset << 24 ^ size);
}

// ---- files ----

int SimDisk::State::open(sqlite3_vfs* vfs, const char* name, sqlite3_file* raw, int flags, int* out_flags) {
  State& disk = self(vfs);
  ++disk.operations;
  raw->pMethods = nullptr;
  const std::string path = name ? name : "";
  std::shared_ptr<DiskFile> file;
  if (!name) {
    file = disk.names.create_unnamed();
  } else {
    if (disk.is_off(path)) return SQLITE_CANTOPEN;
    file = disk.names.find(path);
    const bool creates = !file && (flags & SQLITE_OPEN_CREATE) != 0;
    if (!file && !creates) return SQLITE_CANTOPEN;
    const Fate fate = disk.chance.fate_of(creates ? DiskOperation::create : DiskOperation::open);
    if (creates && fate.happens_whole()) file = disk.names.create(path);
    if (creates && file) disk.fold(DiskOperation::create, *file, 0, 0);
    if (fate.last) disk.crash_in(path);
    if (fate.code != SQLITE_OK) return fate.code;
  }
  const FileKind kind = !name                                ? FileKind::unnamed
                        : (flags & SQLITE_OPEN_MAIN_DB) != 0 ? FileKind::database
                        : (flags & SQLITE_OPEN_WAL) != 0     ? FileKind::log
                                                             : FileKind::other;
  const bool is_journal = (flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL)) != 0;
  static_assert(alignof(Handle) <= 8, "SQLite aligns to 8");
  auto* made = new (raw)
      Handle{{io_methods()}, disk, std::move(file), path, kind, is_journal && (flags & SQLITE_OPEN_CREATE) != 0};
  disk.handles.push_back(made);
  if (out_flags) *out_flags = flags;
  return SQLITE_OK;
}

int SimDisk::State::close(sqlite3_file* raw) {
  Handle& one = handle(raw);
  std::erase(one.disk.handles, &one);
  one.~Handle();
  return SQLITE_OK;
}

int SimDisk::State::read(sqlite3_file* raw, void* to, int size, sqlite3_int64 offset) {
  Handle& one = handle(raw);
  ++one.disk.operations;
  if (one.off) return code_of_failed(DiskOperation::read);
  if (const Fate fate = one.fate_of(DiskOperation::read); fate.code != SQLITE_OK) return fate.code;
  const std::string& bytes = one.file->bytes();
  const auto from = std::min(static_cast<std::size_t>(offset), bytes.size());
  const std::size_t there = std::min(static_cast<std::size_t>(size), bytes.size() - from);
  std::memcpy(to, bytes.data() + from, there);
  if (there == static_cast<std::size_t>(size)) return SQLITE_OK;
  std::memset(static_cast<char*>(to) + there, 0, static_cast<std::size_t>(size) - there);
  return SQLITE_IOERR_SHORT_READ;
}

int SimDisk::State::write(sqlite3_file* raw, const void* from, int size, sqlite3_int64 at) {
  Handle& one = handle(raw);
  State& disk = one.disk;
  ++disk.operations;
  disk.pause_in_checkpoint(one);
  if (one.off) return code_of_failed(DiskOperation::write);
  const std::string_view bytes(static_cast<const char*>(from), static_cast<std::size_t>(size));
  const auto offset = static_cast<std::size_t>(at);
  if (one.kind == FileKind::log) disk.note_writer(one);
  if (one.kind == FileKind::log && offset == 0) disk.judge_log_beginning_anew(one);
  const bool grows = one.kind != FileKind::unnamed && offset + bytes.size() > one.file->bytes().size();
  Fate fate = grows ? disk.chance.fate_of_growth(DiskOperation::write) : one.fate_of(DiskOperation::write);
  switch (fate.happens) {
    case Fate::Happens::whole:
      one.file->write(offset, bytes);
      break;
    case Fate::Happens::in_part:
      one.file->write(offset, bytes.substr(0, fate.details->below(bytes.size() / kSectorBytes + 1) * kSectorBytes));
      break;
    case Fate::Happens::not_at_all:
      break;
  }
  if (size <= kHeaderBytes) disk.trace.fold(bytes);
  return one.end(DiskOperation::write, fate, offset, bytes.size());
}

int SimDisk::State::truncate(sqlite3_file* raw, sqlite3_int64 size) {
  Handle& one = handle(raw);
  ++one.disk.operations;
  one.disk.pause_in_checkpoint(one);
  if (one.off) return code_of_failed(DiskOperation::truncate);
  if (one.kind == FileKind::log) one.disk.judge_log_beginning_anew(one);
  const Fate fate = one.fate_of(DiskOperation::truncate);
  if (fate.happens_whole()) one.file->truncate(static_cast<std::size_t>(size));
  return one.end(DiskOperation::truncate, fate, static_cast<std::uint64_t>(size), 0);
}

int SimDisk::State::sync(sqlite3_file* raw, int) {
  Handle& one = handle(raw);
  ++one.disk.operations;
  one.disk.pause_in_checkpoint(one);
  if (one.off) return code_of_failed(DiskOperation::sync);
  Fate fate = one.fate_of(DiskOperation::sync);
  if (fate.happens_whole()) {
    one.file->sync();
    if (std::exchange(one.syncs_folder, false)) one.disk.names.sync_folder_of(one.path);
  } else if (!fate.last) {
    one.file->fail_sync(*fate.details);
  }
  return one.end(DiskOperation::sync, fate, 0, one.file->bytes().size());
}

int SimDisk::State::file_size(sqlite3_file* raw, sqlite3_int64* size) {
  const Handle& one = handle(raw);
  ++one.disk.operations;
  if (one.off) return SQLITE_IOERR_FSTAT;
  *size = static_cast<sqlite3_int64>(one.file->bytes().size());
  return SQLITE_OK;
}

int SimDisk::State::remove(sqlite3_vfs* vfs, const char* path, int sync_folder) {
  State& disk = self(vfs);
  ++disk.operations;
  if (disk.is_off(path)) return code_of_failed(DiskOperation::remove);
  const std::shared_ptr<DiskFile> file = disk.names.find(path);
  if (!file) return SQLITE_IOERR_DELETE_NOENT;
  const Fate fate = disk.chance.fate_of(DiskOperation::remove);
  if (fate.happens != Fate::Happens::not_at_all) disk.names.remove(path);
  if (fate.happens_whole() && sync_folder != 0) disk.names.sync_folder_of(path);
  disk.fold(DiskOperation::remove, *file, 0, 0);
  if (fate.last) disk.crash_in(path);
  return fate.code;
}

int SimDisk::State::access(sqlite3_vfs* vfs, const char* path, int flags, int* out) {
  const State& disk = self(vfs);
  if (disk.is_off(path)) return SQLITE_IOERR_ACCESS;
  const std::shared_ptr<DiskFile> file = disk.names.find(path);
  // To SQLite an empty file does not exist, as on Unix.
  *out = file && (flags != SQLITE_ACCESS_EXISTS || !file->bytes().empty());
  return SQLITE_OK;
}

// ---- locks of a file ----

int SimDisk::State::lock(sqlite3_file* raw, int level) {
  Handle& one = handle(raw);
  if (one.off) return SQLITE_IOERR_LOCK;
  if (one.lock >= level) return SQLITE_OK;
  const auto another_holds = [&](int least) {
    return one.disk.any_other(one, [&](const Handle& other) { return other.lock >= least; });
  };
  if (level == SQLITE_LOCK_SHARED && another_holds(SQLITE_LOCK_PENDING)) return SQLITE_BUSY;
  if (level > SQLITE_LOCK_SHARED && another_holds(SQLITE_LOCK_RESERVED)) return SQLITE_BUSY;
  if (level == SQLITE_LOCK_EXCLUSIVE && another_holds(SQLITE_LOCK_SHARED)) {
    one.lock = SQLITE_LOCK_PENDING;  // no new reader comes, those that read go
    return SQLITE_BUSY;
  }
  one.lock = level;
  return SQLITE_OK;
}

int SimDisk::State::unlock(sqlite3_file* raw, int level) {
  Handle& one = handle(raw);
  one.lock = std::min(one.lock, level);
  return SQLITE_OK;
}

int SimDisk::State::check_reserved_lock(sqlite3_file* raw, int* out) {
  const Handle& one = handle(raw);
  if (one.off) return SQLITE_IOERR_CHECKRESERVEDLOCK;
  const auto reserves = [](const Handle& other) { return other.lock >= SQLITE_LOCK_RESERVED; };
  *out = reserves(one) || one.disk.any_other(one, reserves);
  return SQLITE_OK;
}

// ---- shared memory ----

int SimDisk::State::map(sqlite3_file* raw, int region, int size, int extend, void volatile** out) {
  Handle& one = handle(raw);
  *out = nullptr;
  if (one.off) return SQLITE_IOERR_SHMMAP;
  if (!one.shared_memory)
    one.disk.any_other(one, [&](const Handle& other) {
      one.shared_memory = other.shared_memory;
      return one.shared_memory != nullptr;
    });
  if (!one.shared_memory) one.shared_memory = std::make_shared<SharedMemory>();
  const auto index = static_cast<std::size_t>(region);
  const bool is_new = !one.shared_memory->has_region(index);
  if (is_new && extend == 0) return SQLITE_OK;
  // It is a file beside the database.
  if (is_new && one.disk.chance.is_full()) return SQLITE_IOERR_SHMSIZE;
  *out = one.shared_memory->region(index, static_cast<std::size_t>(size));
  return SQLITE_OK;
}

int SimDisk::State::lock_slots(sqlite3_file* raw, int first, int count, int flags) {
  Handle& one = handle(raw);
  if (one.off) return SQLITE_IOERR_SHMLOCK;
  const unsigned mask = ((1u << count) - 1) << first;
  const bool is_checkpoint = first == SharedMemory::kCheckpoint && count == 1;  // recovery takes more at once
  if ((flags & SQLITE_SHM_UNLOCK) != 0) {
    one.slots.shared &= ~mask;
    one.slots.exclusive &= ~mask;
    if (is_checkpoint) one.checkpoints = false;
    return SQLITE_OK;
  }
  const bool exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
  if (one.disk.any_other(one, [&](const Handle& other) {
        return ((other.slots.exclusive | (exclusive ? other.slots.shared : 0)) & mask) != 0;
      }))
    return SQLITE_BUSY;
  (exclusive ? one.slots.exclusive : one.slots.shared) |= mask;
  if (is_checkpoint) {
    one.checkpoints = true;
    one.disk.judge_checkpoint_start(one);
    one.disk.pause_in_checkpoint(one);
  }
  return SQLITE_OK;
}

int SimDisk::State::unmap(sqlite3_file* raw, int) {
  Handle& one = handle(raw);
  one.slots = {};
  one.checkpoints = false;
  one.shared_memory.reset();
  return SQLITE_OK;
}

// ---- checkpoints, as far as a disk can see them ----

int SimDisk::State::file_control(sqlite3_file* raw, int operation, void*) {
  Handle& one = handle(raw);
  if (operation != SQLITE_FCNTL_CKPT_START) return SQLITE_NOTFOUND;
  one.disk.judge_copying(one);
  one.disk.pause_in_checkpoint(one);
  return SQLITE_OK;
}

void SimDisk::State::note_writer(const Handle& log) {
  for (Handle* one : handles)
    if ((one->slots.exclusive & 1u << SharedMemory::kWriter) != 0 && one->path == database_of(log.path))
      one->has_written = true;
}

void SimDisk::State::pause_in_checkpoint(const Handle& main) {
  if (!main.checkpoints || main.off || paused || !options.between_checkpoint_steps) return;
  paused = true;
  options.between_checkpoint_steps(main.path);
  paused = false;
}

void SimDisk::State::judge_checkpoint_start(const Handle& main) {
  if (main.shared_memory && main.shared_memory->log_is_fully_copied() &&
      any_other(main, [](const Handle& other) { return other.has_written; }))
    break_rule("a checkpoint started on a fully copied log beside a connection that writes");
}

void SimDisk::State::judge_copying(const Handle& main) {
  const std::shared_ptr<DiskFile> log = names.find(main.path + "-wal");
  if (log && !log->synced()) break_rule("a checkpoint copies frames that are not synced");
}

void SimDisk::State::judge_log_beginning_anew(const Handle& log) {
  const std::shared_ptr<DiskFile> main = names.find(database_of(log.path));
  if (main && !main->synced()) break_rule("a log began anew while the file was not synced");
}

// ---- the tables that SQLite calls through ----

sqlite3_vfs SimDisk::State::make_vfs() {
  sqlite3_vfs table{};
  table.iVersion = 2;
  table.szOsFile = sizeof(Handle);
  table.mxPathname = kPathBytesMax;
  table.xOpen = &open;
  table.xDelete = &remove;
  table.xAccess = &access;
  table.xFullPathname = [](sqlite3_vfs*, const char* path, int size, char* out) {
    const std::size_t length = std::strlen(path);
    if (length >= static_cast<std::size_t>(size)) return SQLITE_CANTOPEN;
    std::memcpy(out, path, length + 1);
    return SQLITE_OK;
  };
  table.xRandomness = [](sqlite3_vfs* vfs, int size, char* out) {
    for (int i = 0; i < size; ++i) out[i] = static_cast<char>(self(vfs).draw.below(256));
    return size;
  };
  table.xSleep = [](sqlite3_vfs*, int microseconds) { return microseconds; };
  table.xCurrentTime = [](sqlite3_vfs*, double* now) {
    *now = static_cast<double>(kNow) / 86'400'000;
    return SQLITE_OK;
  };
  table.xGetLastError = [](sqlite3_vfs*, int, char*) { return 0; };
  table.xCurrentTimeInt64 = [](sqlite3_vfs*, sqlite3_int64* now) {
    *now = kNow;
    return SQLITE_OK;
  };
  return table;
}

const sqlite3_io_methods* SimDisk::State::io_methods() {
  static const sqlite3_io_methods table = [] {
    sqlite3_io_methods methods{};
    methods.iVersion = 2;
    methods.xClose = &close;
    methods.xRead = &read;
    methods.xWrite = &write;
    methods.xTruncate = &truncate;
    methods.xSync = &sync;
    methods.xFileSize = &file_size;
    methods.xLock = &lock;
    methods.xUnlock = &unlock;
    methods.xCheckReservedLock = &check_reserved_lock;
    methods.xFileControl = &file_control;
    methods.xSectorSize = [](sqlite3_file*) { return kSectorBytesTold; };
    methods.xDeviceCharacteristics = [](sqlite3_file*) { return kDeviceTold; };
    methods.xShmMap = &map;
    methods.xShmLock = &lock_slots;
    methods.xShmBarrier = [](sqlite3_file*) {};
    methods.xShmUnmap = &unmap;
    return methods;
  }();
  return &table;
}

// ---- the disk, as a world uses it ----

SimDisk::SimDisk(Options options, Draw draw, Faults& faults, Trace& trace)
    : state_(std::make_unique<State>(std::move(options), std::move(draw), faults, trace)) {}

SimDisk::~SimDisk() = default;

const std::string& SimDisk::vfs() const { return state_->options.name; }

void SimDisk::off(std::string_view prefix) { state_->turn_off(prefix); }

void SimDisk::power_cycle(std::string_view prefix, Loss loss) {
  State& disk = *state_;
  for (const auto* open : disk.handles) SEMEL_CHECK(!std::string_view(open->path).starts_with(prefix));
  std::erase_if(disk.off, [&](const std::string& off) { return std::string_view(off).starts_with(prefix); });
  const Draw stream = disk.draw.fork("power cycle", ++disk.power_cycles);
  if (stream.fork("room").below(2) == 0) disk.chance.make_room();
  switch (loss) {
    case Loss::nothing:
      break;
    case Loss::unsynced:
      disk.names.lose_power(prefix, stream);
      break;
  }
}

void SimDisk::heal() { state_->chance.heal(); }

void SimDisk::for_each_file(std::string_view prefix,
                            const std::function<void(std::string_view path, std::string_view bytes)>& f) {
  state_->names.for_each(prefix, [&](std::string_view path, const DiskFile& file) { f(path, file.bytes()); });
}

std::uint64_t SimDisk::operations() const { return state_->operations; }

const std::string& SimDisk::broken_rule() const { return state_->broken_rule; }

}  // namespace semel::sim
