// write_delivery.cc: attempts begin, are settled, and what else moves a delivery.
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/check.h"
#include "base/planted.h"
#include "sim/store/write_sets.h"

namespace semel::sim {
namespace {

bool fence_stands(Tables& tables, Fence fence, TenantKey tenant, EndpointKey endpoint) {
  return planted(Planted::fence_forgotten) ||
         tables.fences->at(static_cast<std::size_t>(store::shard_of(tenant, endpoint))) == fence;
}

bool endpoint_exists(Tables& tables, TenantKey tenant, EndpointKey endpoint) {
  const EndpointRow* row = tables.live_endpoint(endpoint);
  return row && row->row.tenant == tenant;
}

// nullptr: it stands at another version, or belongs to another tenant or endpoint.
template <class WriteSet>
DeliveryRow* find_standing(Tables& tables, const WriteSet& at) {
  DeliveryRow* found = tables.deliveries.find(at.delivery);
  if (!found || found->row.tenant != at.tenant || found->row.endpoint != at.endpoint) return nullptr;
  if (found->row.version != at.version && !planted(Planted::version_forgotten)) return nullptr;
  return found;
}

// The rule of a delivery's row that state and record would break.
std::optional<std::string_view> broken_by(const delivery::State& state, const delivery::Record& record) {
  if (std::holds_alternative<delivery::Parked>(state) && (!record.parked_since || record.parked_asks == 0))
    return "a parked delivery knows since when and how often it was asked";
  if (std::holds_alternative<delivery::InFlight>(state) && record.attempts == 0)
    return "a delivery in flight has an attempt";
  return std::nullopt;
}

std::optional<std::string_view> broken_by(const store::OutcomeRow& outcome) {
  static constexpr std::array<std::string_view, 5> kResults{"delivered", "retry", "parked", "unknown", "dead"};
  if (std::ranges::find(kResults, outcome.result) == kResults.end()) return "an outcome's result is one of five words";
  return std::nullopt;
}

void raise_highest_delivered(Tables& tables, const store::Delivery& row) {
  if (!row.line) return;
  Sequence& highest = tables.endpoints.at(row.endpoint).lines.at(*row.line).highest_delivered;
  highest = std::max(highest, *row.sequence);
}

template <class WriteSet>
void move(Tables& tables, DeliveryRow& delivery, const WriteSet& to) {
  store::Delivery moved = delivery.row;
  ++moved.version.value;
  moved.state = to.state;
  moved.record = to.record;
  if (auto* flight = std::get_if<delivery::InFlight>(&moved.state)) flight->attempt = moved.record.attempts;
  tables.change(moved);
  if (std::holds_alternative<delivery::Delivered>(moved.state)) raise_highest_delivered(tables, moved);
}

}  // namespace

store::CommitAnswer write(Tables& tables, const store::StartAttempt& start) {
  SEMEL_CHECK(start.state.attempt == start.record.attempts);
  if (!fence_stands(tables, start.fence, start.tenant, start.endpoint) ||
      !endpoint_exists(tables, start.tenant, start.endpoint) ||
      tables.endpoints.at(start.endpoint).row.version != start.endpoint_version)
    return store::Conflict{};
  DeliveryRow* delivery = find_standing(tables, start);
  if (!delivery || !delivery::is_open(delivery::name_of(delivery->row.state))) return store::Conflict{};
  if (const auto rule = broken_by(start.state, start.record)) return breaks_rule(std::string(*rule));
  if (start.record.round == 0) return breaks_rule("rounds are counted from 1");
  if (delivery->attempts.contains(start.state.attempt)) return breaks_rule("an attempt begins once");

  // The rest of the record stays as it is.
  store::Delivery begun = delivery->row;
  ++begun.version.value;
  begun.state = start.state;
  begun.record.attempts = start.record.attempts;
  begun.record.progress.clock_origin = start.record.progress.clock_origin;
  tables.change(begun);
  delivery->attempts.emplace(start.state.attempt,
                             AttemptRow{start.record.round, start.state.counts, start.state.started_at});
  return store::Committed{};
}

store::CommitAnswer write(Tables& tables, const store::SettleAttempt& settle) {
  if (!fence_stands(tables, settle.fence, settle.tenant, settle.endpoint)) return store::Conflict{};
  DeliveryRow* delivery = find_standing(tables, settle);
  if (!delivery) return store::Conflict{};
  if (const auto rule = broken_by(settle.state, settle.record)) return breaks_rule(std::string(*rule));
  if (const auto rule = broken_by(settle.outcome)) return breaks_rule(std::string(*rule));
  if (delivery->outcomes.contains({settle.attempt, false})) return breaks_rule("an attempt is settled once");

  move(tables, *delivery, settle);
  delivery->outcomes.emplace(OutcomeKey{settle.attempt, false}, settle.outcome);
  if (settle.endpoint_wait) tables.endpoints.at(settle.endpoint).row.wait = settle.endpoint_wait;
  return store::Committed{};
}

store::CommitAnswer write(Tables& tables, const store::LateOutcome& late) {
  DeliveryRow* delivery = tables.deliveries.find(late.delivery);
  if (!delivery || delivery->row.tenant != late.tenant || !delivery->attempts.contains(late.attempt))
    return refused(Fault::not_found, "there is no such attempt");
  if (const auto rule = broken_by(late.outcome)) return breaks_rule(std::string(*rule));
  delivery->outcomes.try_emplace({late.attempt, true}, late.outcome);  // told twice it is the same
  return store::Committed{};
}

store::CommitAnswer write(Tables& tables, const store::ChangeDelivery& change) {
  if ((!planted(Planted::fence_on_attempts_only) &&
       !fence_stands(tables, change.fence, change.tenant, change.endpoint)) ||
      !endpoint_exists(tables, change.tenant, change.endpoint))
    return store::Conflict{};
  DeliveryRow* delivery = find_standing(tables, change);
  if (!delivery) return store::Conflict{};
  if (const auto rule = broken_by(change.state, change.record)) return breaks_rule(std::string(*rule));
  move(tables, *delivery, change);
  return store::Committed{};
}

}  // namespace semel::sim
