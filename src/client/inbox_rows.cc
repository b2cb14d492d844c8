// inbox_rows.cc: rows to facts and rulings to rows.
#include "client/inbox_rows.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/probe.h"
#include "sql/inbox/queries.h"

namespace semel::client {

using inbox::Arrival;
using inbox::InboxFacts;

namespace {

constexpr std::int64_t kSchemaVersion = 1;
constexpr int kApplied = 1;
constexpr int kRejected = 2;

std::string_view endpoint_of(const Arrival& arrival) {
  return arrival.endpoint ? std::string_view(*arrival.endpoint) : std::string_view();
}

// The first column of the only row, if there is one.
template <class... Argument>
Result<std::optional<std::int64_t>> read_integer(Statement& statement, const Argument&... arguments) {
  Rows rows = statement.rows(arguments...);
  SEMEL_TRY(found, rows.next());
  if (!found || rows.is_null(0)) return std::nullopt;
  return rows.integer(0);
}

template <class... Argument>
Result<std::optional<std::int64_t>> ask_once(sqlite3* db, std::string_view sql, const Argument&... arguments) {
  SEMEL_TRY(statement, Statement::prepare(db, sql));
  return read_integer(statement, arguments...);
}

Result<void> refuse_newer_schema(sqlite3* db) {
  SEMEL_TRY(exists, ask_once(db, sql::inbox::find_schema));
  if (!exists) return {};
  SEMEL_TRY(version, ask_once(db, sql::inbox::read_schema_version));
  if (version.value_or(0) > kSchemaVersion)
    return fail(Fault::conflict, "the inbox tables were made by a newer version of this program");
  return {};
}

Result<void> make_tables(sqlite3* db) {
  SEMEL_TRY_VOID(refuse_newer_schema(db));
  SEMEL_TRY_VOID(run_script(db, sql::inbox::schema));
  SEMEL_TRY(insert_version, Statement::prepare(db, sql::inbox::insert_schema_version));
  return insert_version.run(kSchemaVersion);
}

struct Keys {
  std::int64_t consumer;
  std::vector<std::int64_t> sources;
};

Result<Keys> make_keys(sqlite3* db, std::string_view consumer, const std::vector<std::string>& sources) {
  Keys keys{};
  SEMEL_TRY(consumer_key, ask_once(db, sql::inbox::ensure_consumer, consumer));
  keys.consumer = *consumer_key;
  for (const std::string& source : sources) {
    SEMEL_TRY(source_key, ask_once(db, sql::inbox::ensure_source, keys.consumer, std::string_view(source)));
    keys.sources.push_back(*source_key);
  }
  return keys;
}

Result<Keys> make_tables_and_keys(sqlite3* db, std::string_view consumer, const std::vector<std::string>& sources) {
  SEMEL_TRY_VOID(make_tables(db));
  return make_keys(db, consumer, sources);
}

Result<Keys> in_one_transaction(sqlite3* db, std::string_view consumer, const std::vector<std::string>& sources) {
  SEMEL_TRY_VOID(run_script(db, sql::inbox::begin));
  Result<Keys> keys = make_tables_and_keys(db, consumer, sources);
  Result<void> ended = run_script(db, keys ? sql::inbox::commit : sql::inbox::roll_back);
  if (keys && !ended) return std::unexpected(std::move(ended).error());
  return keys;
}

}  // namespace

InboxRows::InboxRows(std::int64_t consumer, std::vector<Source> sources, Statements statements)
    : consumer_(consumer), sources_(std::move(sources)), sql_(std::move(statements)) {}

Result<InboxRows> InboxRows::open(sqlite3* db, std::string_view consumer, const std::vector<std::string>& names) {
  SEMEL_TRY(keys, in_one_transaction(db, consumer, names));
  SEMEL_TRY(statements, prepare(db));
  std::vector<Source> sources;
  for (std::size_t i = 0; i < names.size(); ++i) sources.push_back({SourceKey{keys.sources[i]}, names[i]});
  return InboxRows(keys.consumer, std::move(sources), std::move(statements));
}

Result<InboxRows::Statements> InboxRows::prepare(sqlite3* db) {
  SEMEL_TRY(list_records_of_event, Statement::prepare(db, sql::inbox::list_records_of_event));
  SEMEL_TRY(find_position, Statement::prepare(db, sql::inbox::find_position));
  SEMEL_TRY(find_parked, Statement::prepare(db, sql::inbox::find_parked));
  SEMEL_TRY(count_parked_in_line, Statement::prepare(db, sql::inbox::count_parked_in_line));
  SEMEL_TRY(find_entity_version, Statement::prepare(db, sql::inbox::find_entity_version));
  SEMEL_TRY(read_consumer, Statement::prepare(db, sql::inbox::read_consumer));
  SEMEL_TRY(store_record, Statement::prepare(db, sql::inbox::store_record));
  SEMEL_TRY(move_position, Statement::prepare(db, sql::inbox::move_position));
  SEMEL_TRY(raise_entity_version, Statement::prepare(db, sql::inbox::raise_entity_version));
  SEMEL_TRY(park, Statement::prepare(db, sql::inbox::park));
  SEMEL_TRY(end_parking, Statement::prepare(db, sql::inbox::end_parking));
  SEMEL_TRY(keep_late, Statement::prepare(db, sql::inbox::keep_late));
  SEMEL_TRY(find_next_parked, Statement::prepare(db, sql::inbox::find_next_parked));
  SEMEL_TRY(list_lines_with_turn, Statement::prepare(db, sql::inbox::list_lines_with_turn));
  SEMEL_TRY(purge_records, Statement::prepare(db, sql::inbox::purge_records));
  SEMEL_TRY(note_purged, Statement::prepare(db, sql::inbox::note_purged));
  SEMEL_TRY(purge_parked, Statement::prepare(db, sql::inbox::purge_parked));
  SEMEL_TRY(purge_late, Statement::prepare(db, sql::inbox::purge_late));
  SEMEL_TRY(count_rejected, Statement::prepare(db, sql::inbox::count_rejected));
  SEMEL_TRY(count_late, Statement::prepare(db, sql::inbox::count_late));
  return Statements{std::move(list_records_of_event), std::move(find_position),
                    std::move(find_parked),           std::move(count_parked_in_line),
                    std::move(find_entity_version),   std::move(read_consumer),
                    std::move(store_record),          std::move(move_position),
                    std::move(raise_entity_version),  std::move(park),
                    std::move(end_parking),           std::move(keep_late),
                    std::move(find_next_parked),      std::move(list_lines_with_turn),
                    std::move(purge_records),         std::move(note_purged),
                    std::move(purge_parked),          std::move(purge_late),
                    std::move(count_rejected),        std::move(count_late)};
}

SourceKey InboxRows::key_of(std::string_view source) const {
  const auto found = std::ranges::find(sources_, source, &Source::name);
  SEMEL_CHECK(found != sources_.end());
  return found->key;
}

const std::string& InboxRows::name_of(SourceKey source) const {
  const auto found = std::ranges::find(sources_, source, &Source::key);
  SEMEL_CHECK(found != sources_.end());
  return found->name;
}

Result<InboxFacts> InboxRows::facts(SourceKey source, const Arrival& arrival) {
  InboxFacts facts;
  SEMEL_TRY_VOID(read_records(source, arrival, facts));
  {
    Rows consumer = sql_.read_consumer.rows(consumer_);
    SEMEL_TRY(found, consumer.next());
    if (!found) return fail(Fault::corrupt, "the consumer's row is gone");
    if (!consumer.is_null(0)) facts.purged_through = WallTime{consumer.integer(0)};
    facts.parked_in_all = static_cast<std::uint32_t>(consumer.integer(1));
  }
  if (arrival.ordered()) SEMEL_TRY_VOID(read_line(source, arrival, facts));
  SEMEL_TRY_VOID(read_entity(source, arrival, facts));
  return facts;
}

Result<void> InboxRows::read_records(SourceKey source, const Arrival& arrival, InboxFacts& facts) {
  Rows rows = sql_.list_records_of_event.rows(source.value, std::string_view(arrival.id));
  std::optional<inbox::Applied> applied;
  std::optional<inbox::RejectedByApplication> rejected;
  for (;;) {
    SEMEL_TRY(more, rows.next());
    if (!more) break;
    const bool here = rows.text(0) == endpoint_of(arrival);
    if (rows.integer(1) == kApplied) {
      applied = inbox::Applied{here || (applied && applied->through_this_endpoint)};
      continue;
    }
    if (here)
      rejected = inbox::RejectedByApplication{static_cast<std::uint32_t>(rows.integer(2)), std::string(rows.text(3))};
    else if (!rejected)
      rejected = inbox::RejectedByApplication{std::nullopt, std::string(rows.text(3))};
  }
  if (applied)
    facts.known = *applied;
  else if (rejected)
    facts.known = *std::move(rejected);
  return {};
}

Result<void> InboxRows::read_line(SourceKey source, const Arrival& arrival, InboxFacts& facts) {
  const std::string_view endpoint = *arrival.endpoint;
  const std::string_view ordering_key = *arrival.ordering_key;
  SEMEL_TRY(position, read_integer(sql_.find_position, source.value, endpoint, ordering_key));
  SEMEL_TRY(parked, read_integer(sql_.find_parked, source.value, std::string_view(arrival.id), endpoint));
  facts.position = static_cast<Sequence>(position.value_or(0));
  if (parked) facts.parked_after = static_cast<Sequence>(*parked);
  if (facts.parked_in_all == 0) return {};
  SEMEL_TRY(in_line, read_integer(sql_.count_parked_in_line, source.value, endpoint, ordering_key));
  facts.parked_in_line = static_cast<std::uint32_t>(in_line.value_or(0));
  return {};
}

Result<void> InboxRows::read_entity(SourceKey source, const Arrival& arrival, InboxFacts& facts) {
  const std::optional<std::string> entity = arrival.entity();
  if (!entity || !arrival.entity_version) return {};
  SEMEL_TRY(version, read_integer(sql_.find_entity_version, source.value, std::string_view(*entity)));
  if (version) facts.entity_version = static_cast<std::uint64_t>(*version);
  return {};
}

Result<void> InboxRows::store_record(SourceKey source, const Arrival& arrival, int state,
                                     std::optional<std::string_view> reason, WallTime now) {
  return sql_.store_record.run(source.value, std::string_view(arrival.id), endpoint_of(arrival), state, arrival.round,
                               reason, arrival.accepted_at.value_or(now).ms, now.ms);
}

Result<void> InboxRows::store_applied(SourceKey source, const Arrival& arrival, WallTime now) {
  return store_record(source, arrival, kApplied, std::nullopt, now);
}

Result<void> InboxRows::store_rejected(SourceKey source, const Arrival& arrival, std::string_view reason,
                                       WallTime now) {
  return store_record(source, arrival, kRejected, reason, now);
}

Result<void> InboxRows::move_position(SourceKey source, const Arrival& arrival) {
  SEMEL_CHECK(arrival.ordered());
  return sql_.move_position.run(source.value, std::string_view(*arrival.endpoint),
                                std::string_view(*arrival.ordering_key), *arrival.sequence);
}

Result<void> InboxRows::raise_entity_version(SourceKey source, const Arrival& arrival) {
  const std::optional<std::string> entity = arrival.entity();
  if (!entity || !arrival.entity_version) return {};
  return sql_.raise_entity_version.run(source.value, std::string_view(*entity), *arrival.entity_version);
}

Result<void> InboxRows::park(SourceKey source, const Arrival& arrival, Sequence after, std::string_view body,
                             WallTime now) {
  SEMEL_CHECK(arrival.ordered());
  return sql_.park.run(consumer_, source.value, std::string_view(*arrival.endpoint), std::string_view(arrival.id),
                       std::string_view(*arrival.ordering_key), *arrival.sequence, after, arrival.round, now.ms,
                       Blob{body});
}

Result<void> InboxRows::end_parking(SourceKey source, const Arrival& arrival) {
  return sql_.end_parking.run(source.value, std::string_view(arrival.id), endpoint_of(arrival));
}

Result<void> InboxRows::keep_late(SourceKey source, const Arrival& arrival, WallTime now) {
  SEMEL_CHECK(arrival.ordered());
  return sql_.keep_late.run(source.value, std::string_view(arrival.id), std::string_view(*arrival.endpoint),
                            std::string_view(*arrival.ordering_key), *arrival.sequence, now.ms);
}

Result<std::optional<ParkedEvent>> InboxRows::next_parked(const Line& line) {
  const std::string_view endpoint = line.endpoint;
  const std::string_view ordering_key = line.ordering_key;
  SEMEL_TRY(position, read_integer(sql_.find_position, line.source.value, endpoint, ordering_key));
  Rows rows = sql_.find_next_parked.rows(line.source.value, endpoint, ordering_key, position.value_or(0));
  SEMEL_TRY(found, rows.next());
  if (!found) return std::nullopt;
  return ParkedEvent{std::string(rows.text(0)), static_cast<Sequence>(rows.integer(1)),
                     static_cast<std::uint32_t>(rows.integer(2)), std::string(rows.text(3))};
}

Result<std::vector<Line>> InboxRows::lines_with_turn(std::size_t max) {
  std::vector<Line> lines;
  Rows rows = sql_.list_lines_with_turn.rows(consumer_, max);
  for (;;) {
    SEMEL_TRY(more, rows.next());
    if (!more) return lines;
    lines.push_back({SourceKey{rows.integer(0)}, std::string(rows.text(1)), std::string(rows.text(2))});
  }
}

Result<void> InboxRows::purge(WallTime now, std::size_t max) {
  const WallTime before = now - inbox::kDedupRetention;
  for (const Source& source : sources_) {
    SEMEL_TRY_VOID(purge_records(source.key, before, max));
    SEMEL_TRY_VOID(sql_.purge_parked.run(source.key.value, before.ms, max));
    SEMEL_TRY_VOID(sql_.purge_late.run(source.key.value, before.ms, max));
  }
  return {};
}

// What was purged can no longer be told from what never came, so the newest of it is kept in mind.
Result<void> InboxRows::purge_records(SourceKey source, WallTime before, std::size_t max) {
  std::optional<std::int64_t> newest;
  {
    Rows rows = sql_.purge_records.rows(source.value, before.ms, max);
    for (;;) {
      SEMEL_TRY(more, rows.next());
      if (!more) break;
      newest = std::max(newest.value_or(rows.integer(0)), rows.integer(0));
    }
  }
  if (!newest) return {};
  probe::reached<"inbox.purges_records">();
  return sql_.note_purged.run(consumer_, *newest);
}

Result<InboxTotals> InboxRows::totals() {
  InboxTotals totals;
  {
    Rows consumer = sql_.read_consumer.rows(consumer_);
    SEMEL_TRY(found, consumer.next());
    if (found) {
      totals.parked_now = static_cast<std::uint64_t>(consumer.integer(1));
      totals.parked_ever = static_cast<std::uint64_t>(consumer.integer(2));
    }
  }
  SEMEL_TRY(rejected, read_integer(sql_.count_rejected, consumer_));
  totals.rejected = static_cast<std::uint64_t>(rejected.value_or(0));
  SEMEL_TRY(late, read_integer(sql_.count_late, consumer_));
  totals.late = static_cast<std::uint64_t>(late.value_or(0));
  return totals;
}

}  // namespace semel::client
