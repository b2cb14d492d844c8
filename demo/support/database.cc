// database.cc: SQLite without write-back: closing never starts a checkpoint.
#include "support/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <memory>

namespace semel::harness {
namespace {

struct CloseDatabase {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

constexpr int kBusyMs = 5'000;

Error trouble(sqlite3* db, const std::string& file) {
  return {Fault::unavailable, fmt::format("{}: {}", file, sqlite3_errmsg(db))};
}

Result<Database> open(const std::string& file, int flags) {
  sqlite3* raw = nullptr;
  const int opened = sqlite3_open_v2(file.c_str(), &raw, flags, nullptr);
  Database db(raw);
  if (opened != SQLITE_OK) return std::unexpected(trouble(raw, file));
  sqlite3_db_config(raw, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_busy_timeout(raw, kBusyMs);
  return db;
}

}  // namespace

std::int64_t Row::integer(int column) const { return sqlite3_column_int64(statement_, column); }

std::string Row::text(int column) const {
  const void* bytes = sqlite3_column_blob(statement_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
}

Result<void> query(const std::string& file, std::string_view sql, const std::function<void(const Row&)>& each) {
  SEMEL_TRY(db, open(file, SQLITE_OPEN_READONLY));
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr) != SQLITE_OK)
    return std::unexpected(trouble(db.get(), file));
  int step = sqlite3_step(statement);
  for (; step == SQLITE_ROW; step = sqlite3_step(statement)) each(Row(statement));
  Result<void> result;
  if (step != SQLITE_DONE) result = std::unexpected(trouble(db.get(), file));
  sqlite3_finalize(statement);
  return result;
}

Result<std::int64_t> query_number(const std::string& file, std::string_view sql) {
  std::optional<std::int64_t> number;
  SEMEL_TRY_VOID(query(file, sql, [&](const Row& row) {
    if (!number) number = row.integer(0);
  }));
  return number.value_or(0);
}

Result<void> execute(const std::string& file, std::string_view sql) {
  SEMEL_TRY(db, open(file, SQLITE_OPEN_READWRITE));
  if (sqlite3_exec(db.get(), std::string(sql).c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    return std::unexpected(trouble(db.get(), file));
  return {};
}

}  // namespace semel::harness
