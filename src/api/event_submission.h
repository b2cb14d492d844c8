// event_submission.h: from JSON to a checked submission, and from what became of it to the members of an answer. Shared
// by the single event and the batch.
#pragma once

#include "api/api_call.h"

namespace semel::api {

// How long keys and event ids are remembered at least.
inline constexpr milliseconds kKeyRetention{90LL * 24 * 3600 * 1000};

// `object` lies within a document of `call`. BODY_TOO_LARGE over 256 KiB, the codes of event/submission.h, and
// EVENT_TYPE_FORBIDDEN when the caller's key may not send this type.
Answered<engine::IntakeItem> read_item(const Services& services, const ApiCall& call, const JsonValue& object);

// id, sequence, accepted_at, duplicate, deliveries, routing: into an object that is open.
void append_taken(JsonWriter& json, const store::Taken& taken);

Problem problem_of(const intake::Refuse& refused);
Problem problem_of(const engine::Overloaded& overloaded);
Problem problem_of(const engine::InDoubt& doubt);

// The content of the whole request is not what its key is bound to.
Problem key_reused();

}  // namespace semel::api
