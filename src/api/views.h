// views.h: how stored rows look in answers.
#pragma once

#include <vector>

#include "base/json.h"
#include "port/store.h"

namespace semel::api {

// Each appends one object.
void append_delivery(JsonWriter& json, const store::DeliveryView& delivery);
void append_attempt(JsonWriter& json, const store::AttemptView& attempt);
void append_event(JsonWriter& json, const store::EventView& event);
void append_subscription(JsonWriter& json, const store::Subscription& subscription);

// The members of each, into an object that is open.
void append_delivery_members(JsonWriter& json, const store::DeliveryView& delivery);
void append_attempt_members(JsonWriter& json, const store::AttemptView& attempt);
void append_event_members(JsonWriter& json, const store::EventView& event);

void append_strings(JsonWriter& json, std::string_view name, const std::vector<std::string>& strings);

}  // namespace semel::api
