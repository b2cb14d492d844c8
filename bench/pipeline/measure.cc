// measure.cc: starts sink and sender, drives the load, waits until everything is recorded, and reads the bill.
#include "pipeline/measure.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <thread>

#include "base/testing/temp_folder.h"
#include "pipeline/arrivals.h"
#include "pipeline/load.h"
#include "support/process.h"
#include "support/semel_server.h"

namespace semel::bench {
namespace {

using harness::Process;
using std::chrono::seconds;

constexpr auto kDrainMax = seconds(120);

// user + system time so far, in microseconds.
double cpu_us(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  long long user = 0;
  long long system = 0;
  const std::size_t after_name = text.rfind(')');
  SEMEL_CHECK(after_name != std::string::npos);
  SEMEL_CHECK(std::sscanf(text.c_str() + after_name + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lld %lld",
                          &user, &system) == 2);
  return static_cast<double>(user + system) * 1e6 / static_cast<double>(sysconf(_SC_CLK_TCK));
}

Result<std::uint16_t> listening_port(Process& process) { return harness::listening_port(process, seconds(10)); }

// Whether the store holds a delivery that is not settled. Both stores number their states alike: below 7 is open.
bool open_deliveries(sqlite3* db) {
  sqlite3_stmt* statement = nullptr;
  SEMEL_CHECK(sqlite3_prepare_v2(db, "SELECT 1 FROM delivery WHERE state < 7 LIMIT 1", -1, &statement, nullptr) ==
              SQLITE_OK);
  const bool found = sqlite3_step(statement) == SQLITE_ROW;
  sqlite3_finalize(statement);
  return found;
}

template <class Condition>
bool wait_until(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + kDrainMax;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(milliseconds(2));
  }
  return true;
}

struct Sender {
  pid_t pid;
  std::uint16_t port;
  std::string bearer;
  std::string database;
};

Result<Run> measure(const Sender& sender, const Arrivals& arrivals, double load_seconds) {
  const double cpu_before = cpu_us(sender.pid);
  const LoadResult load = run_load({.port = sender.port, .bearer = sender.bearer, .seconds = load_seconds});
  if (!wait_until([&] { return arrivals.count() >= load.accepted; }))
    return fail(Fault::timed_out, fmt::format("{} of {} events arrived", arrivals.count(), load.accepted));
  sqlite3* db = nullptr;
  SEMEL_CHECK(sqlite3_open_v2(sender.database.c_str(), &db, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK);
  sqlite3_exec(db, "PRAGMA wal_autocheckpoint=0", nullptr, nullptr, nullptr);
  const bool recorded = wait_until([&] { return !open_deliveries(db); });
  const std::int64_t recorded_ns = monotonic_ns();
  const double cpu_after = cpu_us(sender.pid);
  int on = 1;
  sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on, &on);
  sqlite3_close(db);
  if (!recorded) return fail(Fault::timed_out, "deliveries stay open");

  std::vector<std::int64_t> arrival_ns;
  for (std::size_t n = 1; n < load.accepted_at_ns.size(); ++n)
    if (load.accepted_at_ns[n] != 0)
      arrival_ns.push_back(std::max<std::int64_t>(0, arrivals.of(n) - load.accepted_at_ns[n]));
  const double accepted = static_cast<double>(load.accepted);
  return Run{.accepted_per_s = accepted * 1e9 / static_cast<double>(load.ended_ns - load.started_ns),
             .recorded_per_s = accepted * 1e9 / static_cast<double>(recorded_ns - load.started_ns),
             .cpu_us_per_delivery = (cpu_after - cpu_before) / accepted,
             .deliveries = load.accepted,
             .refused = load.refused,
             .answer = percentiles(load.answer_ns),
             .arrival = percentiles(std::move(arrival_ns))};
}

}  // namespace

Percentiles percentiles(std::vector<std::int64_t> ns) {
  if (ns.empty()) return {};
  std::ranges::sort(ns);
  const auto at = [&](double share) {
    return static_cast<double>(ns[static_cast<std::size_t>(share * static_cast<double>(ns.size() - 1))]) / 1000;
  };
  return {at(0.5), at(0.99), at(0.999)};
}

Result<Run> measure_floor(const Programs& programs, double load_seconds) {
  const TempFolder folder;
  const Arrivals arrivals(folder.file("arrivals"));
  SEMEL_TRY(sink, Process::start({.program = programs.sink, .arguments = {folder.file("arrivals")}}));
  SEMEL_TRY(sink_port, listening_port(*sink));
  SEMEL_TRY(floor, Process::start(
                       {.program = programs.floor, .arguments = {folder.file("floor.db"), std::to_string(sink_port)}}));
  SEMEL_TRY(port, listening_port(*floor));
  return measure({.pid = floor->pid(), .port = port, .bearer = {}, .database = folder.file("floor.db")}, arrivals,
                 load_seconds);
}

Result<Run> measure_semel(const Programs& programs, double load_seconds) {
  const TempFolder folder;
  const Arrivals arrivals(folder.file("arrivals"));
  SEMEL_TRY(sink, Process::start({.program = programs.sink, .arguments = {folder.file("arrivals")}}));
  SEMEL_TRY(sink_port, listening_port(*sink));
  harness::SemelServer server({.program = programs.semel, .folder = folder.path()});
  SEMEL_TRY_VOID(server.start());
  SEMEL_TRY(endpoint,
            server.api().create_endpoint({.url = fmt::format("http://127.0.0.1:{}/hook", sink_port),
                                          .members = R"("ordering":"none","max_in_flight":64,"event_types":["*"])"}));
  return measure(
      {.pid = server.pid(), .port = server.port(), .bearer = server.admin_key(), .database = server.database()},
      arrivals, load_seconds);
}

}  // namespace semel::bench
