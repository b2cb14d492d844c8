// id.h: the textual ids that people, partners and URLs carry.
//
// Shape: 1 to 64 of [A-Za-z0-9_-]. Ids made here are a prefix and the 32 hexadecimal digits of a UUIDv7 (RFC 9562
// section 5.7), so that they sort by time and land at the end of an index.
#pragma once

#include <string>
#include <string_view>

#include "base/random.h"
#include "base/strong.h"
#include "base/time.h"

namespace semel {

template <class Tag>
struct TextId {
  std::string text;
  friend auto operator<=>(const TextId&, const TextId&) = default;
};

using EventId = TextId<struct EventIdTag>;                // evt_.. or the producer's own
using EndpointId = TextId<struct EndpointIdTag>;          // ep_..
using SubscriptionId = TextId<struct SubscriptionIdTag>;  // sub_..
using ApiKeyId = TextId<struct ApiKeyIdTag>;              // key_..

// A delivery is named by what it is: EVENT_ID.ENDPOINT_ID. There is one for ever per pair, so the pair is the name;
// neither half can contain a dot (docs/design/delivery-id.md).
struct DeliveryId {
  EventId event;
  EndpointId endpoint;
  friend auto operator<=>(const DeliveryId&, const DeliveryId&) = default;
};

bool is_valid_id(std::string_view text);

std::string format_delivery_id(const DeliveryId& id);
// Fault::invalid unless the text is two valid ids with one dot between them.
Result<DeliveryId> parse_delivery_id(std::string_view text);

// prefix + 32 hexadecimal digits. Of the 74 random bits all come from `random`.
std::string make_id(std::string_view prefix, WallTime now, Random& random);

}  // namespace semel

template <class Tag>
struct std::hash<semel::TextId<Tag>> {
  std::size_t operator()(const semel::TextId<Tag>& id) const noexcept { return std::hash<std::string>{}(id.text); }
};
