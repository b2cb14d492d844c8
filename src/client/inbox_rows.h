// inbox_rows.h: what an inbox keeps in its tables (sql/inbox_sqlite/schema.sql), row by row. Decides nothing: the
// caller holds the transaction, reads the facts, lets core/inbox judge, and writes what the ruling says.
//
// On a crash: the transaction the caller held is gone whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/strong.h"
#include "base/time.h"
#include "client/statement.h"
#include "core/inbox/inbox.h"

namespace semel::client {

using SourceKey = Strong<struct SourceKeyTag>;

// The order in which one endpoint sends one ordering key's events.
struct Line {
  SourceKey source;
  std::string endpoint;
  std::string ordering_key;
  friend bool operator==(const Line&, const Line&) = default;
};

struct ParkedEvent {
  std::string event_id;
  Sequence after;
  std::uint32_t round;
  std::string body;
};

struct InboxTotals {
  std::uint64_t rejected = 0;  // (event, endpoint) pairs whose last word was the application's refusal
  std::uint64_t late = 0;      // (event, endpoint) pairs
  std::uint64_t parked_now = 0;
  std::uint64_t parked_ever = 0;
};

class InboxRows {
 public:
  // Makes the tables where they are missing, in a transaction of its own. Fault::conflict: a newer version made them.
  static Result<InboxRows> open(sqlite3* db, std::string_view consumer, const std::vector<std::string>& sources);

  // `source` is one of those given to open().
  SourceKey key_of(std::string_view source) const;
  const std::string& name_of(SourceKey source) const;

  Result<inbox::InboxFacts> facts(SourceKey source, const inbox::Arrival& arrival);

  Result<void> store_applied(SourceKey source, const inbox::Arrival& arrival, WallTime now);
  Result<void> store_rejected(SourceKey source, const inbox::Arrival& arrival, std::string_view reason, WallTime now);
  Result<void> move_position(SourceKey source, const inbox::Arrival& arrival);
  Result<void> raise_entity_version(SourceKey source, const inbox::Arrival& arrival);  // nothing if it names none
  Result<void> park(SourceKey source, const inbox::Arrival& arrival, Sequence after, std::string_view body,
                    WallTime now);
  Result<void> end_parking(SourceKey source, const inbox::Arrival& arrival);
  Result<void> keep_late(SourceKey source, const inbox::Arrival& arrival, WallTime now);

  // The lowest parked event of the line whose turn has come.
  Result<std::optional<ParkedEvent>> next_parked(const Line& line);
  Result<std::vector<Line>> lines_with_turn(std::size_t max);

  // Ends what is older than the dedup retention, at most `max` rows of each kind and source.
  Result<void> purge(WallTime now, std::size_t max);

  Result<InboxTotals> totals();

 private:
  struct Statements {
    Statement list_records_of_event, find_position, find_parked, count_parked_in_line, find_entity_version,
        read_consumer, store_record, move_position, raise_entity_version, park, end_parking, keep_late,
        find_next_parked, list_lines_with_turn, purge_records, note_purged, purge_parked, purge_late, count_rejected,
        count_late;
  };
  struct Source {
    SourceKey key;
    std::string name;
  };
  InboxRows(std::int64_t consumer, std::vector<Source> sources, Statements statements);

  static Result<Statements> prepare(sqlite3* db);
  Result<void> read_records(SourceKey source, const inbox::Arrival& arrival, inbox::InboxFacts& facts);
  Result<void> read_line(SourceKey source, const inbox::Arrival& arrival, inbox::InboxFacts& facts);
  Result<void> read_entity(SourceKey source, const inbox::Arrival& arrival, inbox::InboxFacts& facts);
  Result<void> store_record(SourceKey source, const inbox::Arrival& arrival, int state,
                            std::optional<std::string_view> reason, WallTime now);
  Result<void> purge_records(SourceKey source, WallTime before, std::size_t max);

  std::int64_t consumer_;
  std::vector<Source> sources_;
  Statements sql_;
};

}  // namespace semel::client
