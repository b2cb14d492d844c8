// keys.h: row numbers within one store. They never leave the process: people and partners see the textual ids.
#pragma once

#include "base/strong.h"

namespace semel {

using TenantKey = Strong<struct TenantKeyTag, std::int32_t>;
using EndpointKey = Strong<struct EndpointKeyTag>;
using SubscriptionKey = Strong<struct SubscriptionKeyTag>;
using EventKey = Strong<struct EventKeyTag>;
using DeliveryKey = Strong<struct DeliveryKeyTag>;
using LineKey = Strong<struct LineKeyTag>;  // an ordering key of a tenant

// The number of a key's event, 1 to 2^53-1; 0 stands for "no event before this one" where `after` says so.
using Sequence = std::uint64_t;

// Grows each time a store gets a new owner; a write that carries an older one changes nothing (I-FENCE).
using Fence = Strong<struct FenceTag>;

// Grows with each change of a row; a write that names another one than stands there changes nothing.
using Version = Strong<struct VersionTag>;

}  // namespace semel
