// statement.cc: preparing, stepping and resetting.
#include "edge/sqlite/statement.h"

namespace semel::sqlite {

Statement::Statement(Connection& connection, std::string_view sql) : connection_(connection) {
  if (connection.failure()) return;
  const int code = sqlite3_prepare_v3(connection.handle(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement_, nullptr);
  if (code != SQLITE_OK) connection.note_failure(code);
  parameter_count_ = static_cast<std::size_t>(sqlite3_bind_parameter_count(statement_));
}

bool Statement::step() {
  if (connection_.failure()) return false;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) connection_.note_failure(code);
  return false;
}

void Statement::reset() { sqlite3_reset(statement_); }

std::string_view Statement::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return size == 0 ? std::string_view() : std::string_view(static_cast<const char*>(data), size);
}

}  // namespace semel::sqlite
