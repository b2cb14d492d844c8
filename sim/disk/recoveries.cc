// recoveries.cc: one disk after another, and on each one process after another.
#include "sim/disk/recoveries.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/testing/temp_folder.h"
#include "edge/sqlite/sqlite_store.h"
#include "sim/disk/promises.h"
#include "sim/disk/sim_disk.h"
#include "sim/kernel/process.h"
#include "sim/kernel/schedule.h"

namespace semel::sim {
namespace {

constexpr WallTime kBegin{1'796'024'751'000};
constexpr int kCrashesPerDisk = 50;
constexpr int kOpeningsUntilHealed = 100;  // that fail one after another
constexpr std::size_t kUnderWayMax = 12;
constexpr std::int64_t kTurnsLeast = 4;  // of a process
constexpr int kTurnsDoublings = 6;
constexpr std::uint64_t kQuickCheckEach = 32;
constexpr std::uint64_t kStepsMax = 1'000'000;  // of one wait

// Nothing here depends on what sealing does.
class NoSecrets final : public Secrets {
 public:
  std::string seal(std::string_view plain, std::string_view) override { return std::string(plain); }
  Result<std::string> unseal(std::string_view sealed, std::string_view) override { return std::string(sealed); }
};

// What one disk and the stores on it are like.
struct Conditions {
  PerMillion crash_in_operation;
  PerMillion io_error;
  PerMillion full;
  std::uint64_t log_bytes_max;
  int checkpoint_frames;
  Order order;
  PerMillion race;  // between two steps of a checkpoint
};

template <class T, std::size_t N>
T pick(Draw& draw, const T (&from)[N]) {
  return from[draw.below(N)];
}

Conditions draw_conditions(Draw draw) {
  return {.crash_in_operation = {pick(draw, {1'000u, 4'000u, 4'000u, 10'000u})},
          .io_error = {pick(draw, {0u, 0u, 0u, 0u, 300u})},
          .full = {pick(draw, {0u, 0u, 0u, 0u, 1'000u})},
          .log_bytes_max = pick(draw, {64u, 64u, 150u}) * 4'120,
          .checkpoint_frames = pick(draw, {3, 10, 30, 60}),
          .order = static_cast<Order>(draw.below(kOrders)),
          .race = pick(draw, {PerMillion{}, percent(30), percent(100)})};
}

Faults::Rates rates_of(const Conditions& conditions) {
  Faults::Rates rates{};
  rates[static_cast<std::size_t>(FaultClass::crash_in_disk)] = conditions.crash_in_operation;
  rates[static_cast<std::size_t>(FaultClass::disk_io_error)] = conditions.io_error;
  rates[static_cast<std::size_t>(FaultClass::disk_full)] = conditions.full;
  return rates;
}

Promises::Terms terms_of(const Conditions& conditions) {
  const bool is_full = conditions.full.parts > 0;
  return {.ahead_max = is_full ? 1u : 4u, .may_be_refused = is_full || conditions.io_error.parts > 0};
}

// A disk, and the store's processes on it.
class Host {
 public:
  Host(Draw draw, Conditions conditions, sqlite::Synchronous synchronous, std::string folder, Trace& trace,
       RecoveryReport& report)
      : draw_(draw.fork("host")),
        conditions_(conditions),
        synchronous_(synchronous),
        folder_(std::move(folder)),
        report_(report),
        faults_(draw.seed(), rates_of(conditions), {}),
        schedule_(draw.fork("schedule"), conditions.order, trace),
        disk_({.name = "recoveries",
               .crash_wanted =
                   [this](std::string_view) {
                     ++report_.crashes_in_operations;
                     has_to_end_ = true;
                   },
               .between_checkpoint_steps = [this](std::string_view) { race(); }},
              draw.fork("disk"), faults_, trace) {}

  ~Host() {
    if (process_) crash();
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  bool has_to_end() const { return has_to_end_; }
  SimDisk& disk() { return disk_; }
  store::Store& store() { return *store_; }

  // Fault::corrupt or invalid: what is there is no store any more.
  Result<void> open() {
    process_.emplace("store", schedule_, wall_);
    has_to_end_ = false;
    SEMEL_TRY(opened, sqlite::open_sqlite_store({.path = path(),
                                                 .secrets = secrets_,
                                                 .entropy = draw_,
                                                 .log_bytes_max = conditions_.log_bytes_max,
                                                 .checkpoint_frames = conditions_.checkpoint_frames,
                                                 .vfs = disk_.vfs(),
                                                 .synchronous = synchronous_,
                                                 .on_fatal = [this](std::string) { has_to_end_ = true; }},
                                                *process_, *process_));
    store_ = std::move(opened.store);
    return {};
  }

  bool step() { return schedule_.step(schedule_.now()); }

  // In one snapshot, on the reader's lane.
  Result<void> read(std::move_only_function<Result<void>(store::StoreReader&)> query) {
    Result<void> answer;
    bool is_done = false;
    store_->start_reading([&](store::StoreReader& reader) { answer = query(reader); },
                          [&](Nothing) { is_done = true; });
    std::uint64_t steps = 0;
    while (!is_done && steps++ < kStepsMax && step()) {
    }
    SEMEL_CHECK(is_done);
    return answer;
  }

  // The process dies; and then, mostly, the machine.
  void crash() {
    disk_.off(folder_);
    process_->kill();
    store_.reset();
    process_.reset();
    disk_.power_cycle(folder_, draw_.below(4) == 0 ? SimDisk::Loss::nothing : SimDisk::Loss::unsynced);
  }

  // "ok", what is wrong, or nullopt: the disk failed.
  std::optional<std::string> check(const std::string& pragma) {
    const std::size_t faults_before = faults_.struck().size();
    sqlite3* handle = nullptr;
    std::optional<std::string> answer;
    sqlite3_open_v2(path().c_str(), &handle, SQLITE_OPEN_READWRITE, disk_.vfs().c_str());
    sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    sqlite3_stmt* statement = nullptr;
    int code = sqlite3_prepare_v2(handle, ("PRAGMA " + pragma).c_str(), -1, &statement, nullptr);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    if (code == SQLITE_ROW) answer = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) answer = sqlite3_errstr(code);
    sqlite3_finalize(statement);
    sqlite3_close(handle);
    if (faults_.struck().size() > faults_before) return std::nullopt;
    return answer;
  }

 private:
  std::string path() const { return folder_ + "semel.db"; }

  void race() {
    if (!process_ || !draw_.happens(conditions_.race)) return;
    if (process_->run_one(draw_.below(4) == 0 ? Lane::reader : Lane::writer)) ++report_.raced_checkpoints;
  }

  Draw draw_;
  Conditions conditions_;
  sqlite::Synchronous synchronous_;
  std::string folder_;
  RecoveryReport& report_;
  NoSecrets secrets_;
  WallClock wall_{.at_start = kBegin};
  Faults faults_;
  Schedule schedule_;
  SimDisk disk_;
  std::optional<Process> process_;
  std::unique_ptr<store::Store> store_;
  bool has_to_end_ = false;
};

// From an empty disk through its crashes.
class Life {
 public:
  Life(Draw draw, sqlite::Synchronous synchronous, const std::string& folder, Trace& trace, RecoveryReport& report)
      : Life(draw, draw_conditions(draw.fork("conditions")), synchronous, folder, trace, report) {}

  void run() {
    bool is_a_store = true;
    while (is_a_store && crashes_ < kCrashesPerDisk) {
      is_a_store = open_and_compare();
      if (is_a_store) work();
      crash();
    }
    if (is_a_store) {
      host_.disk().heal();
      promises_.compare_from_the_start();
      open_and_compare();
    }
    if (!host_.disk().broken_rule().empty()) breach(&RecoveryReport::rules_broken, host_.disk().broken_rule());
  }

 private:
  Life(Draw draw, Conditions conditions, sqlite::Synchronous synchronous, const std::string& folder, Trace& trace,
       RecoveryReport& report)
      : draw_(draw.fork("life")),
        report_(report),
        trace_(trace),
        host_(draw, conditions, synchronous, folder, trace, report),
        promises_(draw.fork("promises"), terms_of(conditions), report) {}

  // False: nothing can be opened there any more.
  bool open_and_compare() {
    for (int turn = 0;; ++turn) {
      if (turn == kOpeningsUntilHealed) host_.disk().heal();
      SEMEL_CHECK(turn < 2 * kOpeningsUntilHealed);
      const Result<void> opened = host_.open();
      if (opened && compare()) return true;
      if (!opened && is_corrupt(opened.error().fault)) {
        breach(&RecoveryReport::corrupt, opened.error().note);
        return false;
      }
      ++report_.crashes_while_opening;
      crash();
    }
  }

  static bool is_corrupt(Fault fault) { return fault == Fault::corrupt || fault == Fault::invalid; }

  // False: a crash or a fault of the disk came between.
  bool compare() {
    const Fence fence = host_.store().fence();
    if (fence <= last_fence_) breach(&RecoveryReport::fences_stood, "a fence did not rise");
    last_fence_ = fence;
    if (!host_.read([&](store::StoreReader& reader) { return promises_.compare(reader); })) return false;
    if (crashes_ == 0) return true;
    ++report_.recoveries;
    trace_.fold(report_.acknowledged);
    if (crashes_ >= kCrashesPerDisk) return check("integrity_check");
    return report_.recoveries % kQuickCheckEach != 0 || check("quick_check");
  }

  bool check(const std::string& pragma) {
    const std::optional<std::string> found = host_.check(pragma);
    if (found && *found != "ok") breach(&RecoveryReport::corrupt, pragma + ": " + *found);
    return found.has_value();
  }

  // Until the process has to end, or a drawn moment. Some processes are asked for one write-set after another, others
  // for many at a time.
  void work() {
    const std::int64_t turns = draw_.skewed(kTurnsLeast, kTurnsDoublings);
    const PerMillion asks = draw_.below(2) == 0 ? percent(50) : PerMillion{};
    for (std::int64_t turn = 0; turn < turns && !host_.has_to_end(); ++turn)
      if (draw_.happens(asks) || !host_.step()) ask();
  }

  void ask() {
    if (under_way_ >= kUnderWayMax) return;
    std::optional<Promises::Asked> asked = promises_.next(host_.store().fence());
    if (!asked) return;
    ++under_way_;
    host_.store().start_commit(std::move(asked->write_set), [this, answered = std::move(asked->answered)](
                                                                const store::CommitAnswer& answer) mutable {
      --under_way_;
      answered(answer);
    });
  }

  void crash() {
    ++crashes_;
    host_.crash();
    promises_.forget_answers();
    under_way_ = 0;
  }

  void breach(std::uint64_t RecoveryReport::* count, const std::string& what) {
    ++(report_.*count);
    if (report_.first_breach.empty()) report_.first_breach = what;
  }

  Draw draw_;
  RecoveryReport& report_;
  Trace& trace_;
  Host host_;
  Promises promises_;
  Fence last_fence_{0};
  int crashes_ = 0;
  std::size_t under_way_ = 0;
};

}  // namespace

RecoveryReport run_recoveries(std::uint64_t seed, std::uint64_t count, sqlite::Synchronous synchronous) {
  RecoveryReport report;
  Trace trace;
  const TempFolder folder;  // the store's lock is a file of the operating system
  const std::string files = std::filesystem::canonical(folder.path()).string() + "/";
  const Draw draw(seed, "recoveries");
  for (std::uint64_t number = 1; report.recoveries < count; ++number) {
    const bool was_clean = report.first_breach.empty();
    Life(draw.fork("disk", number), synchronous, files, trace, report).run();
    if (was_clean && !report.first_breach.empty())
      report.first_breach = fmt::format("disk {}: {}", number, report.first_breach);
  }
  report.trace_hash = trace.hash();
  return report;
}

}  // namespace semel::sim
