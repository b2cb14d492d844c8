// statement.cc: the few calls of SQLite's C interface that the inbox needs.
#include "client/statement.h"

#include <string>

#include "base/check.h"

namespace semel::client {

Error sqlite_error(sqlite3* db) {
  const int code = sqlite3_errcode(db) & 0xff;
  const bool refused = code == SQLITE_FULL || code == SQLITE_BUSY || code == SQLITE_LOCKED || code == SQLITE_NOMEM ||
                       code == SQLITE_READONLY || code == SQLITE_INTERRUPT;
  return {refused ? Fault::unavailable : Fault::unknown_outcome, std::string("SQLite: ") + sqlite3_errmsg(db)};
}

Rows::~Rows() {
  if (!statement_) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

Result<bool> Rows::next() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return std::unexpected(sqlite_error(sqlite3_db_handle(statement_)));
}

std::int64_t Rows::integer(int column) const { return sqlite3_column_int64(statement_, column); }

std::string_view Rows::text(int column) const {
  const void* bytes = sqlite3_column_blob(statement_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return bytes ? std::string_view(static_cast<const char*>(bytes), size) : std::string_view();
}

bool Rows::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

Result<Statement> Statement::prepare(sqlite3* db, std::string_view sql) {
  sqlite3_stmt* handle = nullptr;
  const int code =
      sqlite3_prepare_v3(db, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
  if (code != SQLITE_OK) return std::unexpected(sqlite_error(db));
  return Statement(handle);
}

// A failed bind means a wrong index or a value over SQLite's limits, both of which are mistakes in this program.
void Statement::bind(int index, std::string_view text) {
  const char* bytes = text.data() ? text.data() : "";
  SEMEL_CHECK(sqlite3_bind_text(handle_.get(), index, bytes, static_cast<int>(text.size()), SQLITE_STATIC) ==
              SQLITE_OK);
}

void Statement::bind(int index, const Blob& blob) {
  const char* bytes = blob.bytes.data() ? blob.bytes.data() : "";
  const int size = static_cast<int>(blob.bytes.size());
  SEMEL_CHECK(sqlite3_bind_blob(handle_.get(), index, bytes, size, SQLITE_STATIC) == SQLITE_OK);
}

void Statement::bind_integer(int index, std::int64_t value) {
  SEMEL_CHECK(sqlite3_bind_int64(handle_.get(), index, value) == SQLITE_OK);
}

void Statement::bind_null(int index) { SEMEL_CHECK(sqlite3_bind_null(handle_.get(), index) == SQLITE_OK); }

Result<void> run_script(sqlite3* db, std::string_view script) {
  if (sqlite3_exec(db, std::string(script).c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    return std::unexpected(sqlite_error(db));
  return {};
}

}  // namespace semel::client
