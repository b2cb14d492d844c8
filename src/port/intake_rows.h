// intake_rows.h: what every store makes of a decision of core/intake: the answer, the body and the deliveries it
// stores.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "core/delivery/state.h"
#include "core/intake/decide.h"
#include "port/store.h"

namespace semel::store {

// The answer for an event that was taken before.
inline Taken taken_before(intake::StoredEvent event, bool duplicate) {
  return {.id = std::move(event.id),
          .sequence = event.sequence,
          .accepted_at = event.accepted_at,
          .endpoints = std::move(event.endpoints),
          .duplicate = duplicate,
          .replayed = true};
}

// Takes the envelope out of `event`.
inline std::shared_ptr<const EventBody> make_body(EventKey key, const intake::Item& item, intake::NewEvent& event) {
  return std::make_shared<const EventBody>(EventBody{.key = key,
                                                     .id = event.id,
                                                     .envelope = std::move(event.envelope.bytes),
                                                     .data_offset = event.envelope.data_offset,
                                                     .ordering_key = item.submission.ordering_key,
                                                     .sequence = event.sequence,
                                                     .correlation_id = item.submission.correlation_id,
                                                     .type = item.submission.type});
}

// Of what event a delivery is, and where it stands in its line.
struct DeliveryOf {
  TenantKey tenant;
  EventKey event;
  std::optional<LineKey> line;
  std::optional<Sequence> sequence;
  WallTime accepted_at;
};

// As it is stored first: due at once.
inline Delivery fresh_delivery(DeliveryKey key, const DeliveryOf& of, const intake::NewDelivery& made) {
  return {.key = key,
          .tenant = of.tenant,
          .event = of.event,
          .endpoint = made.endpoint,
          .line = of.line,
          .sequence = of.sequence,
          .after = made.after,
          .version = Version{1},
          .state = delivery::Due{of.accepted_at},
          .record = {}};
}

}  // namespace semel::store
