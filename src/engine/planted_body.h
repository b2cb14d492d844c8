// planted_body.h: the planted faults that send an event as another one (base/planted.h). In every other build
// plant_in_body() does nothing.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/planted.h"
#include "base/random.h"
#include "port/store.h"

namespace semel::engine {

inline void rename_event(store::EventBody& event, EventId fresh) {
  constexpr std::size_t kIdAt = std::string_view("{\"id\":\"").size();
  event.envelope.replace(kIdAt, event.id.text.size(), fresh.text);
  event.data_offset += fresh.text.size() - event.id.text.size();
  event.id = std::move(fresh);
}

inline void accept_event_anew(store::EventBody& event, WallTime now) {
  constexpr std::string_view kBefore = "\"accepted_at\":\"";
  const std::string at = format_rfc3339(now);
  event.envelope.replace(event.envelope.find(kBefore) + kBefore.size(), at.size(), at);
}

// To what was just read for a delivery's next attempt.
inline void plant_in_body(store::EventBody& event, const delivery::Record& record, WallTime now, Random& random) {
  if (planted(Planted::new_id_per_retry) && record.attempts > 0) rename_event(event, {make_id("evt_", now, random)});
  if (planted(Planted::replay_with_new_id) && record.round > 1) rename_event(event, {make_id("evt_", now, random)});
  if (planted(Planted::envelope_changes_on_retry) && record.attempts > 0) accept_event_anew(event, now);
}

}  // namespace semel::engine
