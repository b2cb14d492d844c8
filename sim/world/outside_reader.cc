// outside_reader.cc: the queries. Events whose id begins with `old-` are left out: they are made to be purged.
#include "sim/world/outside_reader.h"

namespace semel::sim {
namespace {

std::string text(sqlite3_stmt* row, int column) {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(row, column));
  return {bytes ? bytes : "", static_cast<std::size_t>(sqlite3_column_bytes(row, column))};
}
bool is_null(sqlite3_stmt* row, int column) { return sqlite3_column_type(row, column) == SQLITE_NULL; }

}  // namespace

OutsideReader::OutsideReader(const std::string& path, const std::string& vfs) : path_(path), vfs_(vfs) {}
OutsideReader::~OutsideReader() { close(); }

void OutsideReader::open() {
  if (sqlite3_open_v2(path_.c_str(), &db_, SQLITE_OPEN_READONLY, vfs_.c_str()) != SQLITE_OK) return close();
  sqlite3_db_config(db_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

void OutsideReader::close() {
  sqlite3_close_v2(db_);
  db_ = nullptr;
}

// What fails once is opened anew the next time.
template <class F>
bool OutsideReader::each(const char* sql, std::int64_t parameter, F row) {
  if (!db_) open();
  sqlite3_stmt* statement = nullptr;
  int code = db_ ? sqlite3_prepare_v2(db_, sql, -1, &statement, nullptr) : SQLITE_CANTOPEN;
  if (code == SQLITE_OK) {
    if (sqlite3_bind_parameter_count(statement) > 0) sqlite3_bind_int64(statement, 1, parameter);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) row(statement);
  }
  sqlite3_finalize(statement);
  if (code != SQLITE_DONE) close();
  return code == SQLITE_DONE;
}

std::optional<std::vector<Effect>> OutsideReader::effects_after(std::int64_t effect_no) {
  std::vector<Effect> effects;
  const bool whole = each(
      "SELECT effect_no, source, event_id, type, endpoint, ordering_key, sequence, data FROM effect "
      "WHERE effect_no > ?1 AND event_id NOT LIKE 'old-%' ORDER BY effect_no",
      effect_no, [&](sqlite3_stmt* row) {
        Effect effect{.receiver = {},
                      .effect_no = sqlite3_column_int64(row, 0),
                      .source = text(row, 1),
                      .event = {text(row, 2)},
                      .type = text(row, 3),
                      .endpoint = {text(row, 4)},
                      .key = {},
                      .sequence = {},
                      .data = text(row, 7)};
        if (!is_null(row, 5)) effect.key = text(row, 5);
        if (!is_null(row, 6)) effect.sequence = static_cast<Sequence>(sqlite3_column_int64(row, 6));
        effects.push_back(std::move(effect));
      });
  return whole ? std::optional(std::move(effects)) : std::nullopt;
}

std::optional<ReceiverState> OutsideReader::state() {
  ReceiverState state{};
  bool whole = each(
      "SELECT s.name, r.event_id, r.endpoint, r.state FROM semel_inbox_record r JOIN semel_inbox_source s USING "
      "(source) WHERE r.event_id NOT LIKE 'old-%'",
      0, [&](sqlite3_stmt* row) {
        state.records.push_back({.source = text(row, 0),
                                 .event = {text(row, 1)},
                                 .endpoint = {text(row, 2)},
                                 .applied = sqlite3_column_int(row, 3) == 1});
      });
  const auto number = [&](const char* sql, std::uint64_t& into) {
    whole = each(sql, 0, [&](sqlite3_stmt* row) { into = static_cast<std::uint64_t>(sqlite3_column_int64(row, 0)); }) &&
            whole;
  };
  number("SELECT count(*) FROM effect WHERE source = 'shop'", state.effects);
  number("SELECT count(*) FROM semel_inbox_parked JOIN semel_inbox_source s USING (source) WHERE s.name = 'shop'",
         state.parked_now);
  number(
      "SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM semel_inbox_parked GROUP BY source, endpoint, "
      "ordering_key)",
      state.parked_in_a_line_max);
  number("SELECT count(*) FROM semel_inbox_late JOIN semel_inbox_source s USING (source) WHERE s.name = 'shop'",
         state.late);
  return whole ? std::optional(std::move(state)) : std::nullopt;
}

}  // namespace semel::sim
