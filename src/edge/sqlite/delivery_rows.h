// delivery_rows.h: a delivery's state and record as the columns of its row, and back.
#pragma once

#include <optional>
#include <string_view>

#include "base/keys.h"
#include "edge/sqlite/statement.h"
#include "port/store.h"

namespace semel::sqlite {

// Raises the version by one and stores state and record; false when the delivery stands at another version or belongs
// to another tenant or endpoint, and then nothing is changed. `move` is sql::move_delivery.
struct DeliveryAt {
  DeliveryKey delivery;
  TenantKey tenant;
  EndpointKey endpoint;
  Version version;
};
bool move_delivery(Statement& move, const DeliveryAt& at, const delivery::State& state, const delivery::Record& record);

// The same for the start of an attempt, which leaves the rest of the record as it is. `begin` is sql::begin_attempt.
bool begin_attempt(Statement& begin, const DeliveryAt& at, const delivery::InFlight& state,
                   const delivery::Record& record);

// Of rows that begin with the columns of the table `delivery`, in its order.
store::Delivery read_delivery(const Statement::Rows& row);
// Of rows of the view `delivery_shown`.
store::DeliveryView read_delivery_view(const Statement::Rows& row);

}  // namespace semel::sqlite
