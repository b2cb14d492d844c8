// start_of.h: the write-set that begins the next attempt of a delivery, as the engine would make it.
#pragma once

#include "base/check.h"
#include "core/delivery/step.h"
#include "port/store.h"

namespace semel::store {

inline StartAttempt start_of(const Delivery& delivery, Fence fence, Version endpoint_version, WallTime now) {
  const delivery::Step step = delivery::start_attempt(delivery.state, delivery.record, now);
  SEMEL_CHECK(step.has_value());
  return {.tenant = delivery.tenant,
          .fence = fence,
          .delivery = delivery.key,
          .version = delivery.version,
          .endpoint = delivery.endpoint,
          .endpoint_version = endpoint_version,
          .record = step->record,
          .state = std::get<delivery::InFlight>(step->next)};
}

}  // namespace semel::store
