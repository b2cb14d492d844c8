// statement.h: prepared SQL over a database handle that someone else owns, with failures as values.
//
// A Statement is prepared once and run many times; the Rows of one run end before its next run begins.
#pragma once

#include <sqlite3.h>

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace semel::client {

// The fault of what SQLite answered last on `db`. Fault::unavailable: it was refused and nothing was kept of the
// statement (full, busy, locked). Fault::unknown_outcome: the file or the disk is in trouble.
Error sqlite_error(sqlite3* db);

struct Blob {
  std::string_view bytes;
};

// What one run yields. The views of a row are valid until the next call of next().
class Rows {
 public:
  explicit Rows(sqlite3_stmt* statement) : statement_(statement) {}
  Rows(Rows&& other) noexcept : statement_(std::exchange(other.statement_, nullptr)) {}
  Rows& operator=(Rows&&) = delete;
  ~Rows();

  Result<bool> next();  // false: no further row
  std::int64_t integer(int column) const;
  std::string_view text(int column) const;  // of a text or a blob
  bool is_null(int column) const;

 private:
  sqlite3_stmt* statement_;
};

class Statement {
 public:
  static Result<Statement> prepare(sqlite3* db, std::string_view sql);

  // Starts a run with ?1, ?2, .. bound; bound bytes must live until the Rows end.
  template <class... Argument>
  Rows rows(const Argument&... arguments) {
    int index = 0;
    (bind(++index, arguments), ...);
    return Rows(handle_.get());
  }

  // Runs to the end, for statements that answer nothing.
  template <class... Argument>
  Result<void> run(const Argument&... arguments) {
    Rows result = rows(arguments...);
    for (;;) {
      SEMEL_TRY(more, result.next());
      if (!more) return {};
    }
  }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  explicit Statement(sqlite3_stmt* handle) : handle_(handle) {}

  template <std::integral T>
  void bind(int index, T value) {
    bind_integer(index, static_cast<std::int64_t>(value));
  }
  template <class T>
  void bind(int index, const std::optional<T>& value) {
    value ? bind(index, *value) : bind_null(index);
  }
  void bind(int index, std::string_view text);
  void bind(int index, const Blob& blob);
  void bind_integer(int index, std::int64_t value);
  void bind_null(int index);

  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

// Runs every statement of `script`.
Result<void> run_script(sqlite3* db, std::string_view script);

}  // namespace semel::client
