// event_submission.cc: one event in, its answer out.
#include "api/event_submission.h"

#include <utility>

#include "base/probe.h"
#include "core/event/submission.h"
#include "core/routing/pattern.h"

namespace semel::api {

namespace {

constexpr milliseconds kDoubtRetry{1'000};

std::string json_strings(const std::vector<EventId>& ids) {
  JsonWriter json;
  json.array();
  for (const EventId& id : ids) json.value(id.text);
  return json.end().take();
}

}  // namespace

Answered<engine::IntakeItem> read_item(const Services& services, const ApiCall& call, const JsonValue& object) {
  if (object.kind() != JsonKind::object) return refuse("BODY_INVALID", "an event is a JSON object");
  if (object.raw().size() > event::kSubmissionBytesMax)
    return refuse("BODY_TOO_LARGE", "an event has at most 262144 bytes");
  auto submission = event::read_submission(object);
  if (!submission) {
    probe::reached<"api.event_unreadable">();
    const event::SubmissionError& error = submission.error();
    return std::unexpected(member_problem(error.code, error.member, error.note));
  }
  if (call.caller.event_types && !routing::matches_any(*call.caller.event_types, submission->type))
    return refuse("EVENT_TYPE_FORBIDDEN", "the event types of this key do not contain the event's type");
  return engine::IntakeItem{.submission = *std::move(submission),
                            .fingerprint = services.intake.fingerprint(call.tenant, object)};
}

void append_taken(JsonWriter& json, const store::Taken& taken) {
  json.member("id", taken.id.text)
      .member_if("sequence", taken.sequence)
      .member("accepted_at", format_rfc3339(taken.accepted_at))
      .member("duplicate", taken.duplicate)
      .key("deliveries")
      .array();
  for (const EndpointId& endpoint : taken.endpoints) {
    json.object()
        .member("id", format_delivery_id({.event = taken.id, .endpoint = endpoint}))
        .member("endpoint_id", endpoint.text)
        .end();
  }
  json.end().member("routing", taken.endpoints.empty() ? "no_match" : "matched");
}

Problem problem_of(const intake::Refuse& refused) {
  switch (refused.why) {
    case intake::Refuse::Why::key_reused:
      return key_reused();
    case intake::Refuse::Why::id_reused:
      return problem("EVENT_ID_REUSED_WITH_DIFFERENT_CONTENT", "an event with this id and another content is stored");
    case intake::Refuse::Why::sequence_gap: {
      Problem gap = problem("SEQUENCE_GAP", "nothing was stored; the ordering key goes on with the number in expected");
      if (refused.expected) gap.extras.emplace_back("expected", std::to_string(*refused.expected));
      return gap;
    }
    case intake::Refuse::Why::sequence_missing:
      return problem("SEQUENCE_MISSING", "the first event of this ordering key had a sequence, so each needs one");
    case intake::Refuse::Why::sequence_not_taken:
      return problem("SEQUENCE_NOT_TAKEN", "the first event of this ordering key had no sequence, so none is taken");
    case intake::Refuse::Why::predecessor_refused:
      probe::reached<"api.predecessor_refused">();
      return problem("PREDECESSOR_REFUSED", "an earlier event of this batch with the same ordering key was refused");
  }
  std::unreachable();
}

Problem problem_of(const engine::Overloaded& overloaded) {
  return passing_problem("OVERLOADED", "nothing was stored; send it again later", overloaded.retry_after);
}

Problem problem_of(const engine::InDoubt& doubt) {
  Problem unknown = passing_problem(
      "OUTCOME_UNKNOWN",
      "it may be stored under the ids in event_ids; send it again with the same id or Idempotency-Key", kDoubtRetry);
  unknown.extras.emplace_back("event_ids", json_strings(doubt.ids));
  return unknown;
}

Problem key_reused() {
  return problem("IDEMPOTENCY_KEY_REUSED_WITH_DIFFERENT_REQUEST", "another request has used this key; make a new key");
}

}  // namespace semel::api
