// submitter.cc: one submission until it is known what became of it.
#include "sim/workload/submitter.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/json.h"

namespace semel::sim {
namespace {

bool is_reason_to_come_again(int status) { return status == 503 || status == 429 || status == 409 || status == 408; }

AcceptedEvent read_accepted(const MadeEvent& event, const JsonValue& answer) {
  AcceptedEvent accepted{.number = event.number, .id = {}, .sequence = {}, .endpoints = {}};
  if (const auto id = answer.find("id")) accepted.id = EventId{std::string(id->text())};
  if (const auto sequence = answer.find("sequence"))
    accepted.sequence = static_cast<Sequence>(sequence->integer().value_or(0));
  if (const auto duplicate = answer.find("duplicate")) accepted.duplicate = duplicate->boolean();
  if (const auto deliveries = answer.find("deliveries"))
    for (std::size_t i = 0; i < deliveries->size(); ++i)
      if (const auto endpoint = deliveries->at(i).find("endpoint_id"))
        accepted.endpoints.push_back(EndpointId{std::string(endpoint->text())});
  return accepted;
}

}  // namespace

Submission Submitter::new_submission() {
  const std::uint64_t number = ++stage_.last_submission;
  return {.number = number, .producer = name(), .idempotency_key = fmt::format("{}-{}", name(), number), .events = {}};
}

MadeEvent Submitter::new_event(std::string type, std::optional<std::string> key, std::uint64_t index,
                               std::int64_t amount) {
  const std::uint64_t number = ++stage_.last_event;
  JsonWriter data;
  data.object().member("n", number).member_if("key", key).member("i", index);
  if (amount != 0) data.member("amount", amount);
  return {.number = number,
          .type = std::move(type),
          .key = std::move(key),
          .index = index,
          .data = data.end().take(),
          .amount = amount};
}

std::string Submitter::event_json(const MadeEvent& event) const {
  JsonWriter json;
  json.object().member("type", event.type).key("data").raw(event.data).member_if("ordering_key", event.key);
  // Some producers name their events themselves, and some number their keys.
  if (event.number % 7 == 0) json.member("id", fmt::format("own-{}-{}", name(), event.number));
  if (event.number % 5 == 0) json.member("correlation_id", fmt::format("story-{}", event.number % 3));
  if (event.key && std::ranges::count(numbered_keys_, *event.key) > 0) {
    json.member("sequence", event.index + 1);
    if (event.index == 0) json.member("sequence_start", true);
  }
  return json.end().take();
}

std::string Submitter::body_of(const Submission& submission) const {
  if (!submission.batch) return event_json(submission.events.front());
  JsonWriter json;
  json.object().key("events").array();
  for (const MadeEvent& event : submission.events) json.raw(event_json(event));
  return json.end().end().take();
}

SubmissionAnswer Submitter::read(const Submission& submission, const http::SimpleAnswer& answer) const {
  SubmissionAnswer read{.status = answer.status,
                        .replayed = answer.header("idempotent-replayed") == "true",
                        .accepted = {},
                        .body = answer.body};
  const Result<JsonDocument> document = parse_json(answer.body);
  if (!document) return read;
  if (!submission.batch && answer.status == 202)
    read.accepted.push_back(read_accepted(submission.events.front(), document->root()));
  const auto results = document->root().kind() == JsonKind::object ? document->root().find("results") : std::nullopt;
  if (results && results->size() == submission.events.size())
    for (std::size_t i = 0; i < results->size(); ++i) {
      const JsonValue one = results->at(i);
      const auto status = one.find("status");
      if (status && status->integer() == 202) read.accepted.push_back(read_accepted(submission.events[i], one));
    }
  return read;
}

Co<std::optional<http::SimpleAnswer>> Submitter::ask_once(const Submission& submission) {
  if (stage_.witness.chart.kept())
    stage_.witness.chart.add(
        stage_.ground.schedule.now(), name(), "server",
        fmt::format("submits events: {}, key {}", submission.events.size(), submission.idempotency_key));
  stage_.witness.tell([&](Checker& checker) { checker.submitted(submission); });
  Result<http::SimpleAnswer> answer =
      co_await host_.ask("POST", submission.batch ? "/v1/events/batch" : "/v1/events", body_of(submission),
                         {{"idempotency-key", "\"" + submission.idempotency_key + "\""}}, stage_.server.operator_key());
  if (!answer) co_return std::nullopt;
  if (stage_.witness.chart.kept())
    stage_.witness.chart.add(stage_.ground.schedule.now(), "server", name(), fmt::format("{}", answer->status));
  stage_.witness.tell([&](Checker& checker) { checker.api_answered("/v1/events", answer->status, answer->body); });
  co_return *std::move(answer);
}

// `is_over` says of an answer whether it is the last.
template <class IsOver>
Co<void> Submitter::ask_until(Submission submission, IsOver is_over) {
  while (true) {
    if (const std::optional<http::SimpleAnswer> answer = co_await ask_once(submission)) {
      const SubmissionAnswer told = read(submission, *answer);
      stage_.witness.tell([&](Checker& checker) { checker.answered(submission, told); });
      if (is_over(told)) co_return;
    }
    co_await host_.sleep(milliseconds(draw_.skewed(200, 7)));
  }
}

Co<void> Submitter::submit(Submission submission) {
  const std::size_t events = submission.events.size();
  co_await ask_until(std::move(submission), [this, events](const SubmissionAnswer& told) {
    if (told.accepted.size() == events) return true;
    if (told.status == 202 || told.status == 200 || is_reason_to_come_again(told.status)) return false;
    stage_.witness.violate("I-ANSWER", fmt::format("a submission was answered {} {}", told.status, told.body));
    return true;
  });
}

Co<void> Submitter::submit_conflicting(Submission submission) {
  co_await ask_until(std::move(submission),
                     [](const SubmissionAnswer& told) { return !is_reason_to_come_again(told.status); });
}

}  // namespace semel::sim
