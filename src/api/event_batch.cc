// event_batch.cc: POST /v1/events/batch. Items that cannot be read are answered here and never reach the store; the
// others are judged in one transaction, in the order of the array. After a refused item the later ones of its ordering
// key are refused too, so that the order of the array stays the order of the key.
#include <unordered_set>
#include <vector>

#include "api/answer.h"
#include "api/body.h"
#include "api/event_submission.h"
#include "api/http_date.h"
#include "api/resources.h"
#include "base/match.h"
#include "base/planted.h"
#include "base/probe.h"

namespace semel::api {

namespace {

constexpr std::size_t kItemsMax = 500;
// 64 levels inside `data`, which is three levels down itself.
constexpr BodyRules kBatchBody{.bytes_max = 4 * 1024 * 1024, .depth_max = 67};

struct Reading {
  std::vector<std::optional<Problem>> refused;    // one for each item of the array
  std::vector<engine::IntakeItem> items;          // those that are not refused, in their order, until submitted
  std::size_t submitted = 0;                      // how many those are
  std::vector<idempotency::Fingerprint> content;  // of all
};

std::optional<std::string_view> readable_ordering_key(const JsonValue& object) {
  if (object.kind() != JsonKind::object) return std::nullopt;
  const std::optional<JsonValue> key = object.find("ordering_key");
  if (!key || key->kind() != JsonKind::string) return std::nullopt;
  return key->text();
}

Answered<JsonValue> events_of(const JsonValue& root) {
  if (Answered<void> members = check_members(root, {"events"}); !members)
    return std::unexpected(std::move(members.error()));
  const std::optional<JsonValue> events = root.find("events");
  if (!events) return std::unexpected(member_problem("MEMBER_MISSING", "events", "this member is required"));
  if (events->kind() != JsonKind::array || events->size() == 0)
    return std::unexpected(member_problem("MEMBER_INVALID", "events", "an array of 1 to 500 events is expected"));
  if (events->size() > kItemsMax) return refuse("BATCH_TOO_LARGE", "a batch has at most 500 events");
  return *events;
}

Reading read_items(const Services& services, const ApiCall& call, const JsonValue& events) {
  Reading reading;
  std::unordered_set<std::string_view> refused_keys;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const JsonValue object = events.at(i);
    const std::optional<std::string_view> ordering_key = readable_ordering_key(object);
    Answered<engine::IntakeItem> item = read_item(services, call, object);
    reading.content.push_back(item ? item->fingerprint : services.intake.fingerprint(call.tenant, object));
    if (item) {
      item->position = i;
      item->behind_refused =
          ordering_key && refused_keys.contains(*ordering_key) && !planted(Planted::batch_goes_on_after_refusal);
      reading.items.push_back(*std::move(item));
      reading.refused.emplace_back();
    } else {
      probe::reached<"api.batch_holds_an_unreadable_event">();
      if (ordering_key) refused_keys.insert(*ordering_key);
      reading.refused.emplace_back(std::move(item.error()));
    }
  }
  reading.submitted = reading.items.size();
  return reading;
}

void append_problem(JsonWriter& json, const Problem& found) {
  json.object();
  append_problem_members(json, found);
  json.end();
}

void append_answer(JsonWriter& json, const store::ItemAnswer& answer) {
  match(
      answer,
      [&](const store::Taken& taken) {
        json.object().member("status", 202);
        append_taken(json, taken);
        json.end();
      },
      [&](const intake::Refuse& refused) { append_problem(json, problem_of(refused)); });
}

std::string results_json(const Reading& reading, const std::vector<store::ItemAnswer>& answers) {
  JsonWriter json;
  json.object().key("results").array();
  std::size_t next = 0;
  for (const std::optional<Problem>& refused : reading.refused) {
    if (refused) {
      append_problem(json, *refused);
    } else {
      append_answer(json, answers[next++]);
    }
  }
  return json.end().end().take();
}

// A batch's key is remembered from its acceptance on; the first accepted item tells when that was.
std::optional<WallTime> accepted_at(const std::vector<store::ItemAnswer>& answers) {
  for (const store::ItemAnswer& answer : answers)
    if (const auto* taken = std::get_if<store::Taken>(&answer)) return taken->accepted_at;
  return std::nullopt;
}

Answer answer_of(const Reading& reading, const store::IntakeAnswer& stored, bool keyed) {
  if (stored.batch_key_reused) return std::unexpected(key_reused());
  SEMEL_CHECK(stored.items.size() == reading.submitted);
  HttpResponse response = json_response(200, results_json(reading, stored.items));
  probe::sometimes<"api.batch_answered_again">(stored.batch_replayed);
  if (stored.batch_replayed) response.headers.emplace_back("idempotent-replayed", "true");
  if (const std::optional<WallTime> since = accepted_at(stored.items); keyed && since)
    response.headers.emplace_back("idempotency-expires", format_http_date(*since + kKeyRetention));
  return response;
}

}  // namespace

Co<Answer> submit_batch(Services& services, ApiCall call) {
  Answered<JsonDocument> document = read_body(call.request, kBatchBody);
  if (!document) co_return std::unexpected(std::move(document.error()));
  Answered<JsonValue> events = events_of(document->root());
  if (!events) co_return std::unexpected(std::move(events.error()));

  Reading reading = read_items(services, call, *events);
  if (reading.items.empty()) co_return json_response(200, results_json(reading, {}));

  engine::IntakeRequest request{.tenant = call.tenant,
                                .client = call.caller.client,
                                .items = std::move(reading.items),
                                .key = {},
                                .batch = true,
                                .content = std::move(reading.content)};
  if (call.idempotency_key) request.key = idempotency::hash_key(*call.idempotency_key);
  const bool keyed = request.key.has_value();

  const engine::IntakeResult result = co_await services.intake.submit(std::move(request));
  co_return match(
      result, [&](const store::IntakeAnswer& stored) -> Answer { return answer_of(reading, stored, keyed); },
      [](const engine::Overloaded& overloaded) -> Answer { return std::unexpected(problem_of(overloaded)); },
      [](const store::Refused& refused) -> Answer { return std::unexpected(problem_of(refused.error)); },
      [](const engine::InDoubt& doubt) -> Answer { return std::unexpected(problem_of(doubt)); });
}

}  // namespace semel::api
