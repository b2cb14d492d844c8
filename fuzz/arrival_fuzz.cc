// arrival_fuzz.cc: what an inbox reads from a verified body: the id is always the signed one, and whatever claims an
// order has a whole one.
#include <string>

#include "core/event/submission.h"
#include "core/inbox/inbox.h"
#include "fuzz/fuzz.h"

namespace semel::fuzz {
namespace {

using inbox::Arrival;

// The id that the body itself names; else one it cannot name.
std::string id_in(std::string_view body) {
  const Result<JsonDocument> document = parse_json(body, {.depth_max = 128});
  if (!document) return "evt_1";
  const std::optional<JsonValue> id = document->root().find("id");
  return id && id->kind() == JsonKind::string ? std::string(id->text()) : "evt_1";
}

bool is_foreign(const Arrival& arrival) {
  return arrival.type.empty() && !arrival.endpoint && !arrival.ordering_key && !arrival.sequence && !arrival.after &&
         !arrival.accepted_at;
}

void check_arrival(const Arrival& arrival, const std::string& id) {
  SEMEL_CHECK(arrival.id == id);
  SEMEL_CHECK(arrival.source == "shop");
  SEMEL_CHECK(arrival.round >= 1);
  SEMEL_CHECK(!arrival.sequence || (*arrival.sequence >= 1 && *arrival.sequence <= event::kNumberMax));
  SEMEL_CHECK(!arrival.after || (arrival.sequence && *arrival.after < *arrival.sequence));
  SEMEL_CHECK(!arrival.ordered() || (arrival.endpoint && arrival.ordering_key && arrival.sequence && arrival.after));
  SEMEL_CHECK(!arrival.entity_version || *arrival.entity_version <= event::kNumberMax);
}

// A ruling can be found for whatever was read.
void check_ruling(const Arrival& arrival) {
  const inbox::Ruling ruling = inbox::judge_arrival(arrival, {}, arrival.accepted_at.value_or(WallTime{0}));
  if (const auto* park = std::get_if<inbox::Park>(&ruling))
    SEMEL_CHECK(arrival.ordered() && park->after == *arrival.after);
  SEMEL_CHECK(!std::holds_alternative<inbox::Duplicate>(ruling));
}

}  // namespace

void arrival(std::string_view bytes) {
  const std::string id = id_in(bytes);
  const Result<Arrival> arrival = inbox::read_arrival(bytes, id, "shop");
  if (arrival) {
    check_arrival(*arrival, id);
    check_ruling(*arrival);
  } else {
    SEMEL_CHECK(arrival.error().fault == Fault::invalid);
    SEMEL_CHECK(is_plain(arrival.error().note));
  }
  // Under another id the same body is refused, unless it names none.
  const Result<Arrival> other = inbox::read_arrival(bytes, id + "x", "shop");
  SEMEL_CHECK(!other || (is_foreign(*other) && arrival && is_foreign(*arrival)));
}

}  // namespace semel::fuzz
