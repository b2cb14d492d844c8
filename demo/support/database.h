// database.h: a look into a SQLite file of a program under test. Reads only, one statement at a time; the file is
// opened for the length of a query, so that a look never stands in the way of a restart.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3_stmt;

namespace semel::harness {

class Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}
  std::int64_t integer(int column) const;
  std::string text(int column) const;  // of a NULL: empty

 private:
  sqlite3_stmt* statement_;
};

// Calls `each` per row. Fault::unavailable when the file cannot be read now.
Result<void> query(const std::string& file, std::string_view sql, const std::function<void(const Row&)>& each);

// The first column of the first row; 0 when there is none.
Result<std::int64_t> query_number(const std::string& file, std::string_view sql);

// Changes the file of a program that does not run.
Result<void> execute(const std::string& file, std::string_view sql);

}  // namespace semel::harness
