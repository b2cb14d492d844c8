// envelope.h: the exact bytes that every receiver of an event gets, built once and never again.
//
// Invariant:  I-STABLE-ID  id, ordering key, sequence and envelope bytes are the same over all attempts, rounds, nodes
//             and restarts. What changes per delivery is the member `delivery`, spliced in just before `data`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/id.h"
#include "core/event/submission.h"

namespace semel::event {

struct Envelope {
  std::string bytes;
  std::size_t data_offset;  // where `"data":` begins
};

struct EnvelopeFacts {
  EventId id;
  std::string_view tenant;
  WallTime accepted_at;
  std::optional<Sequence> sequence;  // given by Semel or the producer; set when the event has an ordering key
};

Envelope build_envelope(const Submission& submission, const EnvelopeFacts& facts);

// What one delivery adds.
struct DeliveryMember {
  EndpointId endpoint;
  std::uint32_t round = 1;
  std::optional<Sequence> after;  // set when the event has an ordering key; 0: none before it
};

// The request body: the envelope with the delivery member just before `data`.
std::string splice_delivery(std::string_view envelope, std::size_t data_offset, const DeliveryMember& member);

}  // namespace semel::event
