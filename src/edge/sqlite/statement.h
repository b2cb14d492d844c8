// statement.h: a prepared statement that is kept, its parameters bound from values and its columns read as values.
//
//   Statement find(connection, sql::find_line);
//   auto row = find.query(tenant, ordering_key);
//   if (row.next()) use(row.get<LineKey>(0));
//
// After an error the statement yields no rows and changes nothing; the connection's failure() says why.
#pragma once

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "base/strong.h"
#include "base/time.h"
#include "edge/sqlite/connection.h"

namespace semel::sqlite {

// Bytes that are stored as a BLOB; text is stored as TEXT.
struct Blob {
  std::string_view bytes;
};

template <class T>
inline constexpr bool is_strong = false;
template <class Tag, class Raw>
inline constexpr bool is_strong<Strong<Tag, Raw>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

using Bytes32 = std::array<std::uint8_t, 32>;

class Statement {
 public:
  // A statement that SQLite cannot prepare leaves the connection's failure() set.
  Statement(Connection& connection, std::string_view sql);
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // The rows of one execution; the statement is free again when it goes.
  class Rows {
   public:
    explicit Rows(Statement& statement) : statement_(&statement) {}
    Rows(Rows&& other) noexcept : statement_(std::exchange(other.statement_, nullptr)) {}
    Rows& operator=(Rows&&) = delete;
    ~Rows() {
      if (statement_) statement_->reset();
    }
    bool next() { return statement_->step(); }
    template <class T>
    T get(int column) const {
      return statement_->read<T>(column);
    }

   private:
    Statement* statement_;
  };

  // Text and blobs among the parameters must live as long as the rows are read.
  template <class... A>
  Rows query(const A&... parameters) {
    bind_all(parameters...);
    return Rows(*this);
  }
  // The number of rows changed; 0 on an error.
  template <class... A>
  int run(const A&... parameters) {
    bind_all(parameters...);
    while (step()) {
    }
    const int changed = connection_.failure() ? 0 : sqlite3_changes(connection_.handle());
    reset();
    return changed;
  }
  // Likewise; the rowid of the row inserted.
  template <class... A>
  std::int64_t insert(const A&... parameters) {
    run(parameters...);
    return sqlite3_last_insert_rowid(connection_.handle());
  }

 private:
  template <class... A>
  void bind_all(const A&... parameters) {
    if (!statement_) return;
    SEMEL_CHECK(sizeof...(A) == parameter_count_);
    int index = 0;
    (bind(++index, parameters), ...);
  }
  template <class T>
  void bind(int index, const T& value);
  template <class T>
  T read(int column) const;
  bool step();
  void reset();
  std::string_view bytes(int column) const;

  Connection& connection_;
  sqlite3_stmt* statement_ = nullptr;
  std::size_t parameter_count_ = 0;
};

template <class T>
void Statement::bind(int index, const T& value) {
  if constexpr (std::is_same_v<T, std::nullopt_t>) {
    sqlite3_bind_null(statement_, index);
  } else if constexpr (is_optional<T>) {
    if (value) {
      bind(index, *value);
    } else {
      sqlite3_bind_null(statement_, index);
    }
  } else if constexpr (is_strong<T>) {
    sqlite3_bind_int64(statement_, index, value.value);
  } else if constexpr (std::is_same_v<T, WallTime>) {
    sqlite3_bind_int64(statement_, index, value.ms);
  } else if constexpr (std::is_same_v<T, milliseconds>) {
    sqlite3_bind_int64(statement_, index, value.count());
  } else if constexpr (std::is_same_v<T, Blob>) {
    sqlite3_bind_blob64(statement_, index, value.bytes.data() ? value.bytes.data() : "", value.bytes.size(),
                        SQLITE_STATIC);
  } else if constexpr (std::is_same_v<T, Bytes32>) {
    sqlite3_bind_blob(statement_, index, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
  } else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
    sqlite3_bind_int64(statement_, index, static_cast<sqlite3_int64>(value));
  } else {
    const std::string_view text = value;
    sqlite3_bind_text64(statement_, index, text.data() ? text.data() : "", text.size(), SQLITE_STATIC, SQLITE_UTF8);
  }
}

template <class T>
T Statement::read(int column) const {
  if constexpr (is_optional<T>) {
    if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nullopt;
    return read<typename T::value_type>(column);
  } else if constexpr (is_strong<T>) {
    return T{static_cast<decltype(T::value)>(sqlite3_column_int64(statement_, column))};
  } else if constexpr (std::is_same_v<T, WallTime>) {
    return WallTime{sqlite3_column_int64(statement_, column)};
  } else if constexpr (std::is_same_v<T, milliseconds>) {
    return milliseconds(sqlite3_column_int64(statement_, column));
  } else if constexpr (std::is_same_v<T, Bytes32>) {
    Bytes32 array{};
    const std::string_view stored = bytes(column);
    SEMEL_CHECK(stored.size() == array.size());
    std::copy(stored.begin(), stored.end(), array.begin());
    return array;
  } else if constexpr (std::is_same_v<T, bool>) {
    return sqlite3_column_int64(statement_, column) != 0;
  } else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
    return static_cast<T>(sqlite3_column_int64(statement_, column));
  } else {
    return T(bytes(column));
  }
}

}  // namespace semel::sqlite
