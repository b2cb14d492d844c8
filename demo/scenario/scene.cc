// scene.cc: what the scenarios share.
#include "scenario/scene.h"

#include <fmt/format.h>

#include <fstream>

#include "base/json.h"
#include "support/database.h"
#include "support/wait.h"

namespace semel::scenario {
namespace {

constexpr milliseconds kPatience{20'000};

Error broken(const harness::ApiAnswer& answer) {
  return {Fault::invalid, fmt::format("answered {} {}", answer.status(), answer.body())};
}

// The outcome that settled the attempt; late ones are told beside it.
std::string outcome_text(const JsonValue& outcome) {
  std::string text = harness::text_of(outcome, "result");
  for (const char* member : {"http_status", "reason"})
    if (const std::string value = harness::text_of(outcome, member); !value.empty()) text += " " + value;
  return text;
}

}  // namespace

Scene::Scene(const std::string& semel, const std::filesystem::path& folder, Story& story)
    : story_(story),
      secret_(harness::random_webhook_secret()),
      server_({.program = semel, .folder = folder, .arguments = {}, .environment = {}}),
      listener_({.program = semel,
                 .folder = folder,
                 .sources = {{"semel", secret_}},
                 .faults = {"--drop-ack-first", "1"},
                 .environment = {}}) {}

Result<void> Scene::start_with_a_lost_answer() {
  SEMEL_TRY_VOID(listener_.start());
  SEMEL_TRY_VOID(server_.start());
  SEMEL_TRY(endpoint,
            server_.api().create_endpoint(
                {.url = listener_.url(),
                 .members = fmt::format(
                     R"("event_types":["*"],"secret":"{}",)"
                     R"("retry_policy":{{"base":"3s","factor":1,"max_delay":"3s","max_elapsed":"1m","jitter":"none"}})",
                     secret_)}));
  story_.fact(
      fmt::format("server on port {}, receiver on port {}, endpoint {}", server_.port(), listener_.port(), endpoint));
  return {};
}

Result<void> Scene::send_event(std::string_view members) {
  harness::ApiClient api = server_.api();
  SEMEL_TRY(answer,
            api.post("/v1/events",
                     fmt::format(R"({{"type":"shipment.delivered",{},"data":{{"shipment":"SHP-1"}}}})", members)));
  if (answer.status() != 202) return std::unexpected(broken(answer));
  event_id_ = answer.text("id");
  const JsonValue deliveries = *answer.root().find("deliveries");
  if (deliveries.size() != 1) return std::unexpected(broken(answer));
  delivery_id_ = harness::text_of(deliveries.at(0), "id");
  story_.fact(fmt::format("202: event {}, delivery {}", event_id_, delivery_id_));
  return {};
}

Result<void> Scene::watch_delivery(std::string_view state) {
  harness::ApiClient api = server_.api();
  delivery_ = harness::wait_for_state(api, delivery_id_, state, kPatience);
  if (!delivery_) {
    SEMEL_TRY(now, api.get("/v1/deliveries/" + delivery_id_));
    return fail(Fault::timed_out, fmt::format("the delivery never became {}: {}", state, now.body()));
  }
  const std::string reason = delivery_->text("reason");
  story_.fact(fmt::format("delivery: {}{}, may_have_happened {}", delivery_->text("state"),
                          reason.empty() ? "" : ", reason " + reason, delivery_->text("may_have_happened")));
  const JsonValue attempts = *delivery_->root().find("attempt_list");
  for (std::size_t i = 0; i < attempts.size(); ++i)
    story_.fact(fmt::format("attempt {} at {}: {}", harness::text_of(attempts.at(i), "number"),
                            harness::text_of(attempts.at(i), "started_at"), outcome_of_attempt(i + 1)));
  return {};
}

std::string Scene::outcome_of_attempt(std::size_t number) const {
  const JsonValue attempts = *delivery_->root().find("attempt_list");
  if (attempts.size() < number) return {};
  const JsonValue outcomes = *attempts.at(number - 1).find("outcomes");
  return outcomes.size() == 0 ? "in flight" : outcome_text(outcomes.at(0));
}

Result<void> Scene::forget_event() {
  SEMEL_TRY(before, harness::query_number(
                        listener_.database(),
                        fmt::format("SELECT count(*) FROM semel_inbox_record WHERE event_id = '{}'", event_id_)));
  SEMEL_TRY_VOID(harness::execute(listener_.database(),
                                  fmt::format("DELETE FROM semel_inbox_record WHERE event_id = '{}'", event_id_)));
  story_.fact(fmt::format("DELETE FROM semel_inbox_record WHERE event_id = '{}': {} row", event_id_, before));
  story_.expect("there was one dedup record to lose", before == 1);
  return {};
}

Result<void> Scene::count_effects() {
  SEMEL_TRY_VOID(server_.stop());
  SEMEL_TRY_VOID(listener_.stop());
  std::ifstream ledger(listener_.ledger());
  effects_ = 0;
  for (std::string line; std::getline(ledger, line); ++effects_) story_.fact("ledger: " + line);
  return {};
}

}  // namespace semel::scenario
