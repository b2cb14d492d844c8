// operator.cc: requests of the operator.
#include "sim/workload/operator.h"

#include <fmt/core.h>

#include <array>
#include <map>

#include "base/json.h"

namespace semel::sim {
namespace {

constexpr std::array<std::string_view, 7> kPolicies{
    R"("standard")",
    R"("standard")",
    R"("five-minutes")",
    R"({"base":"1s","factor":2,"max_delay":"1m","max_attempts":3,"jitter":"none"})",
    R"({"base":"2s","factor":3,"max_delay":"10m","max_attempts":6,"jitter":"equal"})",
    R"({"base":"500ms","factor":2,"max_delay":"2m","max_elapsed":"10m","jitter":"full"})",
    R"({"base":"1s","factor":2,"max_delay":"5m","max_attempts":8,"max_elapsed":"1h","jitter":"decorrelated"})",
};

void read_letters(const JsonValue& deliveries, std::vector<Operator::Letter>& into) {
  const auto text = [](const JsonValue& of, std::string_view name) {
    const auto member = of.find(name);
    return member ? std::string(member->text()) : std::string();
  };
  for (std::size_t i = 0; i < deliveries.size(); ++i) {
    const JsonValue one = deliveries.at(i);
    Operator::Letter letter{
        .id = text(one, "id"), .endpoint = text(one, "endpoint_id"), .key = text(one, "ordering_key")};
    if (const auto sequence = one.find("sequence"))
      letter.sequence = static_cast<std::uint64_t>(sequence->integer().value_or(0));
    into.push_back(std::move(letter));
  }
}

}  // namespace

Operator::Operator(Stage& stage)
    : stage_(stage), host_(stage.ground, "operator", 2), draw_(stage.ground.draw.fork("operator")) {}

Co<std::optional<http::SimpleAnswer>> Operator::ask(std::string method, std::string path, std::string body) {
  Result<http::SimpleAnswer> answer =
      co_await host_.ask(std::move(method), path, std::move(body), {}, stage_.server.operator_key());
  if (!answer) co_return std::nullopt;
  if (answer->status >= 500 && answer->status != 503) odd(path, *answer);
  const bool makes_a_secret = path == "/v1/endpoints" && answer->status == 201;
  if (!makes_a_secret)
    stage_.witness.tell([&](Checker& checker) { checker.api_answered(path, answer->status, answer->body); });
  co_return *std::move(answer);
}

void Operator::odd(std::string_view asked, const http::SimpleAnswer& answer) {
  stage_.witness.violate("I-ANSWER", fmt::format("{} was answered {} {}", asked, answer.status, answer.body));
}

std::string Operator::config_json(const EndpointPlan& plan, const std::string& url) {
  JsonWriter json;
  json.object().member("url", url);
  json.member("ordering", draw_.happens(percent(60)) ? "per-key" : "none");
  json.member("client_errors", draw_.happens(percent(70)) ? "retry" : "give_up");
  const std::span<const std::string_view> policies(kPolicies);
  const std::string_view policy = draw_.pick(plan.brisk ? policies.subspan(2) : policies);
  json.key("retry_policy").raw(policy);
  json.member("timeout_ms", draw_.between(1, 30) * 1'000);
  json.member("max_in_flight", draw_.skewed(1, 5));
  json.key("event_types").array();
  for (const std::string& type : plan.event_types) json.value(type);
  json.end();
  if (!plan.secret.empty()) json.member("secret", plan.secret);
  return json.end().take();
}

Co<EndpointId> Operator::make_endpoint(EndpointPlan plan) {
  while (true) {
    const std::string path = fmt::format("/e/{}", ++endpoints_asked_);
    KnownEndpoint endpoint{.id = {},
                           .url = fmt::format("https://{}{}", plan.host, path),
                           .host = plan.host,
                           .path = path,
                           .receiver = plan.receiver,
                           .kind = plan.kind,
                           .config = {},
                           .event_types = plan.event_types,
                           .secret = plan.secret,
                           .source = plan.source};
    const std::string body = config_json(plan, endpoint.url);
    stage_.witness.plan(std::move(endpoint));
    const std::optional<http::SimpleAnswer> answer = co_await ask("POST", "/v1/endpoints", body);
    if (answer && answer->status == 201) {
      const EndpointId id{text_in(*answer, "id").value()};
      stage_.witness.endpoint_made(id, text_in(*answer, "secret").value_or(""));
      if (plan.kind == ReceiverKind::honest) honest_.push_back(id);
      co_return id;
    }
    if (answer && answer->status != 503) {
      odd("making an endpoint", *answer);
      co_return EndpointId{};
    }
    co_await host_.sleep(milliseconds(draw_.skewed(200, 6)));
  }
}

Co<void> Operator::delete_endpoint(EndpointId id) {
  deleted_.insert(id.text);
  std::erase(honest_, id);
  stage_.witness.tell([&](Checker& checker) { checker.endpoint_delete_asked(id); });
  co_await delete_until_gone("/v1/endpoints/" + id.text);
  stage_.witness.tell([&](Checker& checker) { checker.endpoint_deleted(id); });
}

Co<void> Operator::delete_until_gone(std::string path) {
  while (true) {
    const std::optional<http::SimpleAnswer> answer = co_await ask("DELETE", path, "");
    if (answer && (answer->status == 204 || answer->status == 404)) co_return;
    if (answer && answer->status != 503) co_return odd("DELETE " + path, *answer);
    co_await host_.sleep(milliseconds(draw_.skewed(200, 6)));
  }
}

Co<void> Operator::replay(std::string delivery_id) {
  co_await ask("POST", fmt::format("/v1/deliveries/{}/replay", delivery_id), "");
}

Co<std::optional<std::vector<Operator::Letter>>> Operator::list(std::string state) {
  std::vector<Letter> letters;
  std::string cursor;
  do {
    const std::optional<http::SimpleAnswer> answer =
        co_await ask("GET", fmt::format("/v1/deliveries?state={}&limit=500{}", state, cursor), "");
    if (!answer || answer->status != 200) co_return std::nullopt;
    const Result<JsonDocument> page = parse_json(answer->body);
    if (!page || !page->root().find("deliveries")) co_return std::nullopt;
    read_letters(*page->root().find("deliveries"), letters);
    const auto next = page->root().find("next_cursor");
    cursor = next ? fmt::format("&cursor={}", next->text()) : std::string();
  } while (!cursor.empty());
  co_return letters;
}

Co<std::optional<std::size_t>> Operator::replay_lowest_dead() {
  std::optional<std::vector<Letter>> dead = co_await list("dead");
  if (!dead) co_return std::nullopt;
  std::erase_if(*dead, [this](const Letter& letter) { return deleted_.contains(letter.endpoint); });
  std::map<std::pair<std::string, std::string>, const Letter*> lowest;
  std::vector<const Letter*> chosen;
  for (const Letter& letter : *dead) {
    if (letter.key.empty()) {
      chosen.push_back(&letter);
      continue;
    }
    const Letter*& least = lowest[{letter.endpoint, letter.key}];
    if (!least || letter.sequence < least->sequence) least = &letter;
  }
  for (const auto& [key, letter] : lowest) chosen.push_back(letter);
  for (const Letter* letter : chosen) co_await replay(letter->id);
  co_return dead->size();
}

void Operator::start_meddling() { scope_.spawn(meddle()); }
void Operator::start_looking() { scope_.spawn(look()); }
void Operator::start_resubscribing() { scope_.spawn(resubscribe(stage_.ground.draw.fork("resubscriber"))); }

Co<void> Operator::meddle() {
  constexpr std::array<std::string_view, 7> kStates{"dead",    "dead",   "delivered", "due",
                                                    "unknown", "parked", "in_flight"};
  while (!stage_.faults_over) {
    co_await host_.sleep(stage_.ground.options.duration / draw_.between(4, 20));
    const std::optional<std::vector<Letter>> letters =
        co_await list(std::string(draw_.pick(std::span<const std::string_view>(kStates))));
    if (!letters || letters->empty()) continue;
    const Letter& letter = (*letters)[draw_.below(letters->size())];
    // Some people press a button several times.
    for (std::int64_t more = draw_.happens(percent(40)) ? draw_.between(1, 4) : 0; more > 0; --more)
      scope_.spawn(replay(letter.id));
    co_await replay(letter.id);
  }
}

Co<void> Operator::resubscribe(Draw draw) {
  constexpr std::array<std::string_view, 5> kPatterns{"shipment.*", "shipment.moved", "transfer.*", "invoice.paid",
                                                      "*"};
  while (!stage_.faults_over) {
    co_await host_.sleep(stage_.ground.options.duration / draw.between(4, 24));
    if (honest_.empty() || stage_.faults_over) continue;
    const KnownSubscription subscription{
        .number = ++subscriptions_asked_,
        .endpoint = honest_[draw.below(honest_.size())],
        .event_types = {std::string(draw.pick(std::span<const std::string_view>(kPatterns)))}};
    const std::optional<SubscriptionId> made = co_await subscribe(subscription);
    if (!made) continue;
    const auto tell = [&](SubscriptionStage stage) {
      stage_.witness.tell([&](Checker& checker) { checker.subscription_is(subscription, stage); });
    };
    tell(SubscriptionStage::made);
    co_await host_.sleep(stage_.ground.options.duration / draw.between(4, 24));
    tell(SubscriptionStage::delete_asked);
    co_await delete_until_gone("/v1/subscriptions/" + made->text);
    tell(SubscriptionStage::deleted);
  }
}

Co<std::optional<SubscriptionId>> Operator::subscribe(const KnownSubscription& subscription) {
  stage_.witness.tell([&](Checker& checker) { checker.subscription_is(subscription, SubscriptionStage::asked); });
  JsonWriter json;
  json.object().member("endpoint_id", subscription.endpoint.text).key("event_types").array();
  for (const std::string& type : subscription.event_types) json.value(type);
  const std::optional<http::SimpleAnswer> answer = co_await ask("POST", "/v1/subscriptions", json.end().end().take());
  if (!answer || answer->status == 503) co_return std::nullopt;
  if (answer->status == 404 && deleted_.contains(subscription.endpoint.text)) co_return std::nullopt;
  if (answer->status == 201) co_return SubscriptionId{text_in(*answer, "id").value()};
  odd("making a subscription", *answer);
  co_return std::nullopt;
}

Co<void> Operator::look() {
  constexpr std::array<std::string_view, 12> kPaths{"/v1/events",
                                                    "/v1/events?type=shipment.moved",
                                                    "/v1/events?correlation_id=story-1&limit=2",
                                                    "/v1/deliveries",
                                                    "/v1/deliveries?state=blocked",
                                                    "/v1/dead-letters",
                                                    "/v1/endpoints",
                                                    "/v1/subscriptions",
                                                    "/v1/keys",
                                                    "/v1/version",
                                                    "/v1/events/evt_unknown",
                                                    "/v1/deliveries?state=nonsense"};
  while (!stage_.faults_over) {
    co_await host_.sleep(stage_.ground.options.duration / draw_.between(3, 12));
    co_await ask("GET", std::string(draw_.pick(std::span<const std::string_view>(kPaths))), "");
  }
}

}  // namespace semel::sim
