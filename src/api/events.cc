// events.cc: POST /v1/events.
#include "api/answer.h"
#include "api/body.h"
#include "api/event_submission.h"
#include "api/http_date.h"
#include "api/resources.h"
#include "base/match.h"
#include "base/probe.h"

namespace semel::api {

namespace {

// 64 levels inside `data`, which is one level down itself.
constexpr BodyRules kEventBody{.bytes_max = event::kSubmissionBytesMax, .depth_max = 65};

HttpResponse accepted(const store::Taken& taken, const std::optional<idempotency::KeyHash>& key) {
  JsonWriter json;
  json.object();
  append_taken(json, taken);
  HttpResponse response = json_response(202, json.end().take());
  probe::sometimes<"api.event_answered_again">(taken.replayed);
  if (taken.replayed) response.headers.emplace_back("idempotent-replayed", "true");
  if (key) response.headers.emplace_back("idempotency-expires", format_http_date(taken.accepted_at + kKeyRetention));
  return response;
}

Answer answer_of(const store::IntakeAnswer& stored, const std::optional<idempotency::KeyHash>& key) {
  SEMEL_CHECK(stored.items.size() == 1);
  return match(
      stored.items.front(), [&](const store::Taken& taken) -> Answer { return accepted(taken, key); },
      [](const intake::Refuse& refused) -> Answer { return std::unexpected(problem_of(refused)); });
}

}  // namespace

Co<Answer> submit_event(Services& services, ApiCall call) {
  Answered<JsonDocument> document = read_body(call.request, kEventBody);
  if (!document) co_return std::unexpected(std::move(document.error()));
  Answered<engine::IntakeItem> item = read_item(services, call, document->root());
  if (!item) co_return std::unexpected(std::move(item.error()));

  engine::IntakeRequest request{.tenant = call.tenant, .client = call.caller.client, .items = {}, .key = {}};
  request.items.push_back(*std::move(item));
  if (call.idempotency_key) request.key = idempotency::hash_key(*call.idempotency_key);
  const std::optional<idempotency::KeyHash> key = request.key;

  const engine::IntakeResult result = co_await services.intake.submit(std::move(request));
  co_return match(
      result, [&](const store::IntakeAnswer& stored) -> Answer { return answer_of(stored, key); },
      [](const engine::Overloaded& overloaded) -> Answer { return std::unexpected(problem_of(overloaded)); },
      [](const store::Refused& refused) -> Answer { return std::unexpected(problem_of(refused.error)); },
      [](const engine::InDoubt& doubt) -> Answer { return std::unexpected(problem_of(doubt)); });
}

}  // namespace semel::api
