// delivery_rows.cc: which columns a state uses; sql/sqlite/schema.sql checks the same.
#include "edge/sqlite/delivery_rows.h"

#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/match.h"

namespace semel::sqlite {
namespace {

// In the order of the table.
enum Column : int {
  kDeliveryKey,
  kTenant,
  kEventKey,
  kEndpointKey,
  kLineKey,
  kSequence,
  kAfter,
  kVersion,
  kState,
  kNextAt,
  kStartedAt,
  kCounts,
  kExtraAttempt,
  kClosedAt,
  kReason,
  kRound,
  kAttempts,
  kCounted,
  kClockOrigin,
  kLastDelay,
  kUnsettled,
  kParkedSince,
  kParkedAsks,
  kFirstDeliveredAt,
  // of the view
  kEventId,
  kEndpointId,
  kEventType,
  kOrderingKey,
  kBlockedBy,
};

struct StateColumns {
  std::optional<WallTime> next_at;
  std::optional<WallTime> started_at;
  std::optional<bool> counts;
  std::optional<bool> extra_attempt;
  std::optional<WallTime> closed_at;
  std::optional<std::string_view> reason;
};

StateColumns columns_of(const delivery::State& state) {
  return match(
      state, [](const delivery::Due& due) { return StateColumns{.next_at = due.at}; },
      [](const delivery::InFlight& flight) {
        return StateColumns{.started_at = flight.started_at, .counts = flight.counts};
      },
      [](const delivery::Unknown& unknown) {
        return StateColumns{.next_at = unknown.at, .extra_attempt = unknown.extra_attempt};
      },
      [](const delivery::Parked& parked) { return StateColumns{.next_at = parked.ask_at}; },
      [](const delivery::Delivered& delivered) { return StateColumns{.closed_at = delivered.at}; },
      [](const delivery::Dead& dead) { return StateColumns{.closed_at = dead.at, .reason = dead.reason}; },
      [](const delivery::Cancelled& cancelled) {
        return StateColumns{.closed_at = cancelled.at, .reason = cancelled.reason};
      });
}

delivery::State read_state(const Statement::Rows& row) {
  switch (row.get<delivery::StateName>(kState)) {
    case delivery::StateName::due:
      return delivery::Due{row.get<WallTime>(kNextAt)};
    case delivery::StateName::in_flight:
      return delivery::InFlight{.attempt = row.get<std::uint32_t>(kAttempts),
                                .started_at = row.get<WallTime>(kStartedAt),
                                .counts = row.get<bool>(kCounts)};
    case delivery::StateName::unknown:
      return delivery::Unknown{.at = row.get<WallTime>(kNextAt), .extra_attempt = row.get<bool>(kExtraAttempt)};
    case delivery::StateName::parked:
      return delivery::Parked{.ask_at = row.get<WallTime>(kNextAt)};
    case delivery::StateName::delivered:
      return delivery::Delivered{row.get<WallTime>(kClosedAt)};
    case delivery::StateName::dead:
      return delivery::Dead{row.get<WallTime>(kClosedAt), row.get<std::string>(kReason)};
    case delivery::StateName::cancelled:
      return delivery::Cancelled{row.get<WallTime>(kClosedAt), row.get<std::string>(kReason)};
  }
  check_failed("a delivery's state is one of schema.sql", __FILE__, __LINE__);
}

delivery::Record read_record(const Statement::Rows& row) {
  return {.round = row.get<std::uint32_t>(kRound),
          .attempts = row.get<std::uint32_t>(kAttempts),
          .progress = {.counted = row.get<std::uint32_t>(kCounted),
                       .clock_origin = row.get<std::optional<WallTime>>(kClockOrigin),
                       .last_delay = row.get<std::optional<milliseconds>>(kLastDelay)},
          .unsettled = row.get<bool>(kUnsettled),
          .parked_since = row.get<std::optional<WallTime>>(kParkedSince),
          .parked_asks = row.get<std::uint32_t>(kParkedAsks),
          .first_delivered_at = row.get<std::optional<WallTime>>(kFirstDeliveredAt)};
}

std::optional<EventId> as_event_id(std::optional<std::string> text) {
  if (!text) return std::nullopt;
  return EventId{*std::move(text)};
}

}  // namespace

bool move_delivery(Statement& move, const DeliveryAt& at, const delivery::State& state,
                   const delivery::Record& record) {
  const StateColumns columns = columns_of(state);
  return move.run(at.delivery, at.tenant, at.endpoint, at.version, delivery::name_of(state), columns.next_at,
                  columns.started_at, columns.counts, columns.extra_attempt, columns.closed_at, columns.reason,
                  record.round, record.attempts, record.progress.counted, record.progress.clock_origin,
                  record.progress.last_delay, record.unsettled, record.parked_since, record.parked_asks,
                  record.first_delivered_at) == 1;
}

bool begin_attempt(Statement& begin, const DeliveryAt& at, const delivery::InFlight& state,
                   const delivery::Record& record) {
  return begin.run(at.delivery, at.tenant, at.endpoint, at.version, state.started_at, state.counts, record.attempts,
                   record.progress.clock_origin) == 1;
}

store::Delivery read_delivery(const Statement::Rows& row) {
  return {.key = row.get<DeliveryKey>(kDeliveryKey),
          .tenant = row.get<TenantKey>(kTenant),
          .event = row.get<EventKey>(kEventKey),
          .endpoint = row.get<EndpointKey>(kEndpointKey),
          .line = row.get<std::optional<LineKey>>(kLineKey),
          .sequence = row.get<std::optional<Sequence>>(kSequence),
          .after = row.get<std::optional<Sequence>>(kAfter),
          .version = row.get<Version>(kVersion),
          .state = read_state(row),
          .record = read_record(row)};
}

store::DeliveryView read_delivery_view(const Statement::Rows& row) {
  return {.key = row.get<DeliveryKey>(kDeliveryKey),
          .id = {EventId{row.get<std::string>(kEventId)}, EndpointId{row.get<std::string>(kEndpointId)}},
          .endpoint = row.get<EndpointKey>(kEndpointKey),
          .event_type = row.get<std::string>(kEventType),
          .ordering_key = row.get<std::optional<std::string>>(kOrderingKey),
          .sequence = row.get<std::optional<Sequence>>(kSequence),
          .after = row.get<std::optional<Sequence>>(kAfter),
          .version = row.get<Version>(kVersion),
          .state = read_state(row),
          .record = read_record(row),
          .blocked_by = as_event_id(row.get<std::optional<std::string>>(kBlockedBy))};
}

}  // namespace semel::sqlite
