// views.cc: rows as JSON.
#include "api/views.h"

#include <algorithm>

#include "base/match.h"
#include "base/planted.h"

namespace semel::api {

namespace {

void member_time(JsonWriter& json, std::string_view name, const std::optional<WallTime>& time) {
  if (time) json.member(name, format_rfc3339(*time));
}

std::optional<WallTime> next_attempt_at(const delivery::State& state) {
  using Next = std::optional<WallTime>;
  return match(
      state, [](const delivery::Due& due) -> Next { return due.at; },
      [](const delivery::InFlight&) -> Next { return std::nullopt; },
      [](const delivery::Unknown& unknown) -> Next { return unknown.at; },
      [](const delivery::Parked& parked) -> Next { return parked.ask_at; },
      [](const delivery::Delivered&) -> Next { return std::nullopt; },
      [](const delivery::Dead&) -> Next { return std::nullopt; },
      [](const delivery::Cancelled&) -> Next { return std::nullopt; });
}

std::optional<std::string> reason_of(const delivery::State& state) {
  if (const auto* dead = std::get_if<delivery::Dead>(&state)) return dead->reason;
  if (const auto* cancelled = std::get_if<delivery::Cancelled>(&state)) return cancelled->reason;
  return std::nullopt;
}

std::optional<WallTime> delivered_at(const store::DeliveryView& delivery) {
  if (const auto* delivered = std::get_if<delivery::Delivered>(&delivery.state)) return delivered->at;
  return delivery.record.first_delivered_at;
}

std::optional<Sequence> sequence_of(const store::DeliveryView& delivery) {
  const bool dead = std::holds_alternative<delivery::Dead>(delivery.state);
  if (dead && planted(Planted::dead_letter_drops_sequence)) return std::nullopt;
  return delivery.sequence;
}

void append_outcome(JsonWriter& json, const store::OutcomeView& outcome) {
  json.object().member("late", outcome.late).member("at", format_rfc3339(outcome.at)).member("result", outcome.result);
  if (outcome.failure) json.member("class", name_of(*outcome.failure));
  json.member_if("http_status", outcome.http_status);
  if (!outcome.reason.empty()) json.member("reason", outcome.reason);
  json.end();
}

// Parked answers and attempts that lapsed in a crash use up nothing.
bool counts_against_policy(const store::AttemptView& attempt) {
  const auto uses_up_nothing = [](const store::OutcomeView& outcome) {
    return !outcome.late && (outcome.result == "parked" || outcome.reason == "lapsed");
  };
  return attempt.counts && std::ranges::none_of(attempt.outcomes, uses_up_nothing);
}

}  // namespace

void append_strings(JsonWriter& json, std::string_view name, const std::vector<std::string>& strings) {
  json.key(name).array();
  for (const std::string& string : strings) json.value(string);
  json.end();
}

void append_delivery_members(JsonWriter& json, const store::DeliveryView& delivery) {
  json.member("id", format_delivery_id(delivery.id))
      .member("event_id", delivery.id.event.text)
      .member("endpoint_id", delivery.id.endpoint.text)
      .member("event_type", delivery.event_type);
  if (delivery.blocked_by) {
    json.member("state", "blocked").member("blocked_by", delivery.blocked_by->text);
  } else {
    json.member("state", delivery::name_of(delivery::name_of(delivery.state)));
    member_time(json, "next_attempt_at", next_attempt_at(delivery.state));
  }
  json.member("round", delivery.record.round)
      .member("attempts", delivery.record.attempts)
      .member("counted", delivery.record.progress.counted)
      .member_if("ordering_key", delivery.ordering_key)
      .member_if("sequence", sequence_of(delivery))
      .member_if("after", delivery.after)
      .member_if("reason", reason_of(delivery.state))
      .member("may_have_happened", delivery::may_have_happened(delivery.state, delivery.record));
  member_time(json, "delivered_at", delivered_at(delivery));
}

void append_attempt_members(JsonWriter& json, const store::AttemptView& attempt) {
  json.member("number", attempt.number)
      .member("round", attempt.round)
      .member("started_at", format_rfc3339(attempt.started_at))
      .member("counts", counts_against_policy(attempt))
      .key("outcomes")
      .array();
  for (const store::OutcomeView& outcome : attempt.outcomes) append_outcome(json, outcome);
  json.end();
}

void append_event_members(JsonWriter& json, const store::EventView& event) {
  json.member("id", event.id.text)
      .member("type", event.type)
      .member("accepted_at", format_rfc3339(event.accepted_at))
      .member_if("ordering_key", event.ordering_key)
      .member_if("sequence", event.sequence)
      .member_if("correlation_id", event.correlation_id);
}

void append_delivery(JsonWriter& json, const store::DeliveryView& delivery) {
  json.object();
  append_delivery_members(json, delivery);
  json.end();
}

void append_attempt(JsonWriter& json, const store::AttemptView& attempt) {
  json.object();
  append_attempt_members(json, attempt);
  json.end();
}

void append_event(JsonWriter& json, const store::EventView& event) {
  json.object();
  append_event_members(json, event);
  json.end();
}

void append_subscription(JsonWriter& json, const store::Subscription& subscription) {
  json.object().member("id", subscription.id.text).member("endpoint_id", subscription.endpoint.text);
  append_strings(json, "event_types", subscription.event_types);
  json.member("created_at", format_rfc3339(subscription.created_at)).end();
}

}  // namespace semel::api
