// story.cc: the steps.
#include "sim/check/testing/story.h"

#include "core/signature/signature.h"

namespace semel::sim {

Story::Story() {
  known.now = {1'000'000'000};
  known.wall = {1'800'000'000'000};
  known.fence = {1};
  known.receivers.insert(address_);
  known.api_keys.push_back("key_0123.operatorsecretoperatorsecretoperator");
  checkers_ = make_checkers(known, [this](std::string_view checker, std::string text) {
    if (heard.try_emplace(std::string(checker), std::move(text)).second) order_.emplace_back(checker);
  });
  tell([](Checker& checker) { checker.started(kServerProcess, Fence{1}); });
}

EndpointId Story::add_endpoint(EndpointPlan plan) {
  const auto number = static_cast<std::int64_t>(known.endpoints.size()) + 1;
  const std::string receiver = "receiver" + std::string(plan.kind == ReceiverKind::honest ? "" : "_hostile");
  KnownEndpoint made{.id = {"ep_" + std::to_string(number)},
                     .url = "https://r.example/" + std::to_string(number),
                     .host = "r.example",
                     .path = "/" + std::to_string(number),
                     .receiver = receiver,
                     .kind = plan.kind,
                     .config = {},
                     .event_types = plan.event_types,
                     .secret = plan.secret,
                     .source = "shop"};
  made.config.ordering = plan.ordering;
  made.config.rules.policy = plan.policy;
  known.endpoints.push_back(made);
  known.endpoint_of_key.emplace(EndpointKey{number}, made.id);
  if (store.receivers.empty()) store.receivers.push_back({.receiver = "receiver", .records = {}});
  tell([&](Checker& checker) { checker.endpoint_made(made); });
  return made.id;
}

std::vector<Story::Delivery> Story::accept(EventPlan plan, const But<store::Taken>& but_stored,
                                           const But<SubmissionAnswer>& but_answered) {
  const std::uint64_t number = made_.size() + 1;
  const std::string key = plan.key.value_or("");
  const std::uint64_t index = plan.key ? next_index_[key]++ : 0;
  const std::string data = "{\"n\":" + std::to_string(number) + ",\"i\":" + std::to_string(index) + "}";
  made_[number] = {
      .number = number, .type = plan.type, .key = plan.key, .index = index, .data = data, .amount = plan.amount};
  const std::optional<Sequence> sequence = plan.key ? std::optional<Sequence>(index + 1) : std::nullopt;
  const EventId id{"evt_" + std::to_string(number)};
  const EventKey event{static_cast<std::int64_t>(number)};
  const std::string envelope = "{\"id\":\"" + id.text + "\",\"type\":\"" + plan.type + "\",\"data\":" + data + "}";
  store.events.push_back({.key = event,
                          .id = id,
                          .type = plan.type,
                          .envelope = envelope,
                          .ordering_key = plan.key,
                          .sequence = sequence,
                          .correlation_id = {},
                          .accepted_at = known.wall});

  store::Taken taken{.id = id, .sequence = sequence, .accepted_at = known.wall};
  std::vector<Delivery> deliveries;
  for (const auto& [endpoint_key, endpoint] : known.endpoint_of_key) {
    const std::vector<std::string>& types = known.endpoint(endpoint)->event_types;
    if (types.front() != "*" && types.front() != plan.type) continue;
    const DeliveryKey delivery{static_cast<std::int64_t>(store.deliveries.size()) + 1};
    std::optional<Sequence> after;
    if (sequence) after = std::exchange(last_on_[{endpoint.text, key}], *sequence);
    store.deliveries.push_back({.key = delivery,
                                .id = {id, endpoint},
                                .endpoint = endpoint_key,
                                .event_type = plan.type,
                                .ordering_key = plan.key,
                                .sequence = sequence,
                                .after = after,
                                .version = {1},
                                .state = delivery::Due{known.wall},
                                .record = {},
                                .blocked_by = {}});
    store.attempts[delivery];
    taken.endpoints.push_back(endpoint);
    taken.fresh.push_back({.key = delivery,
                           .tenant = {1},
                           .event = event,
                           .endpoint = endpoint_key,
                           .line = {},
                           .sequence = sequence,
                           .after = after,
                           .version = {1},
                           .state = delivery::Due{known.wall},
                           .record = {}});
    deliveries.push_back({delivery, number, endpoint});
  }
  store::EventBody body{.key = event, .id = id, .envelope = envelope, .data_offset = 0};
  taken.body = std::make_shared<const store::EventBody>(std::move(body));
  if (but_stored) but_stored(taken);

  const Submission asked = submission(number, made_[number]);
  tell([&](Checker& checker) { checker.submitted(asked); });
  store::Intake intake{.tenant = {1}, .client = "producer", .items = {}, .batch_key = {}};
  intake.items.push_back({.submission = {.type = plan.type, .ordering_key = plan.key, .data = data},
                          .fresh_id = id,
                          .fingerprint = {},
                          .key = {},
                          .accepted_at = known.wall});
  SubmissionAnswer answer{
      .status = 202,
      .accepted = {{.number = number, .id = taken.id, .sequence = taken.sequence, .endpoints = taken.endpoints}},
      .body = {}};
  commit(intake, CommitFate::told, store::Committed{store::IntakeAnswer{.items = {std::move(taken)}}});
  if (but_answered) but_answered(answer);
  tell([&](Checker& checker) { checker.answered(asked, answer); });
  return deliveries;
}

void Story::begin(const Delivery& delivery, const But<store::StartAttempt>& but, CommitFate fate) {
  store::DeliveryView& view = row(delivery);
  const auto* unknown = std::get_if<delivery::Unknown>(&view.state);
  store::StartAttempt start{.tenant = {1},
                            .fence = known.fence,
                            .delivery = delivery.key,
                            .version = view.version,
                            .endpoint = view.endpoint,
                            .endpoint_version = {1},
                            .record = view.record,
                            .state = {}};
  ++start.record.attempts;
  if (!start.record.progress.clock_origin) start.record.progress.clock_origin = known.wall;
  start.state = {
      .attempt = start.record.attempts, .started_at = known.wall, .counts = !unknown || !unknown->extra_attempt};
  if (but) but(start);
  ++view.version.value;
  view.record = start.record;
  view.state = start.state;
  rows(delivery).push_back({.number = start.state.attempt,
                            .round = start.record.round,
                            .counts = start.state.counts,
                            .started_at = start.state.started_at,
                            .outcomes = {}});
  commit(start, fate);
}

WireRequest Story::request(const Delivery& delivery) {
  const store::DeliveryView& view = row(delivery);
  const std::string& envelope = store.events.at(delivery.event - 1).envelope;
  const std::size_t data = envelope.find(",\"data\":");
  const std::string after = view.after ? ",\"after\":" + std::to_string(*view.after) : std::string();
  WireRequest request{.connection = {++connections_},
                      .number = 1,
                      .to = address_,
                      .method = "POST",
                      .target = endpoint(delivery).path,
                      .headers = {},
                      .body = envelope.substr(0, data) + ",\"delivery\":{\"endpoint\":\"" + delivery.endpoint.text +
                              "\",\"round\":" + std::to_string(view.record.round) + after + "}" +
                              envelope.substr(data)};
  request.headers = {{"webhook-id", view.id.event.text},
                     {"webhook-timestamp", std::to_string(known.wall.ms / 1'000)},
                     {"semel-attempt", std::to_string(view.record.attempts)}};
  if (view.ordering_key) request.headers.emplace_back("semel-ordering-key", *view.ordering_key);
  if (view.sequence) request.headers.emplace_back("semel-sequence", std::to_string(*view.sequence));
  return request;
}

void Story::leave(const Delivery& delivery, const But<WireRequest>& but) {
  WireRequest sent = request(delivery);
  if (but) but(sent);
  if (sent.header("webhook-signature").empty()) {
    signature::Signer signer({{.secret = *signature::parse_secret(endpoint(delivery).secret), .window = {}}});
    sent.headers.emplace_back("webhook-signature", signer.sign(sent.header("webhook-id"), known.wall, sent.body));
  }
  last_request_[delivery.key] = sent;
  tell([&](Checker& checker) { checker.connect_asked(kServerProcess, sent.to); });
  tell([&](Checker& checker) { checker.request_left(sent, &endpoint(delivery)); });
  tell([&](Checker& checker) { checker.request_arrived(sent, &endpoint(delivery)); });
}

void Story::answer(const Delivery& delivery, Answered answered) {
  const WireRequest& to = last_request_.at(delivery.key);
  WireAnswer answer{.connection = to.connection,
                    .number = to.number,
                    .status = answered.status,
                    .headers = {{"content-length", "2"}},
                    .body = {},
                    .complete = false};
  if (!answered.disposition.empty()) answer.headers.emplace_back("semel-disposition", answered.disposition);
  if (!answered.retry_after.empty()) answer.headers.emplace_back("retry-after", answered.retry_after);
  tell([&](Checker& checker) { checker.answer_arrived(answer, to, &endpoint(delivery)); });
  answer.complete = answered.complete;
  answer.body = "{}";
  tell([&](Checker& checker) { checker.answer_arrived(answer, to, &endpoint(delivery)); });
}

void Story::settle(const Delivery& delivery, Settled settled, const But<store::SettleAttempt>& but) {
  store::DeliveryView& view = row(delivery);
  store::SettleAttempt settle{.tenant = {1},
                              .fence = known.fence,
                              .endpoint = view.endpoint,
                              .delivery = delivery.key,
                              .version = view.version,
                              .attempt = view.record.attempts,
                              .outcome = {.at = known.wall,
                                          .result = settled.result,
                                          .failure = settled.failure,
                                          .http_status = {},
                                          .reason = settled.reason},
                              .state = delivery::Delivered{known.wall},
                              .record = view.record,
                              .endpoint_wait = {}};
  const bool counts = rows(delivery).back().counts && settled.result != "parked" && settled.reason != "lapsed";
  if (counts) ++settle.record.progress.counted;
  if (settled.result == "retry") settle.state = delivery::Due{known.wall + settled.delay};
  if (settled.result == "unknown") {
    settle.state = delivery::Unknown{.at = known.wall + settled.delay, .extra_attempt = settled.extra_attempt};
    settle.outcome.failure = FailureClass::unknown_outcome;
    settle.record.unsettled = true;
  }
  if (settled.result == "parked") {
    settle.state = delivery::Parked{known.wall + settled.delay};
    settle.outcome.failure.reset();
    if (!settle.record.parked_since) settle.record.parked_since = known.wall;
    ++settle.record.parked_asks;
    settle.record.unsettled = true;
  }
  if (settled.result == "dead") settle.state = delivery::Dead{known.wall, "attempts_exhausted"};
  if (settled.result == "delivered") {
    settle.outcome.failure.reset();
    settle.record.unsettled = false;
    settle.record.first_delivered_at = known.wall;
  }
  if (but) but(settle);
  ++view.version.value;
  view.state = settle.state;
  view.record = settle.record;
  rows(delivery).back().outcomes.push_back({.late = false,
                                            .at = settle.outcome.at,
                                            .result = settle.outcome.result,
                                            .failure = settle.outcome.failure,
                                            .http_status = settle.outcome.http_status,
                                            .reason = settle.outcome.reason});
  commit(settle);
}

void Story::replay(const Delivery& delivery) {
  store::DeliveryView& view = row(delivery);
  store::ChangeDelivery change{.tenant = {1},
                               .fence = known.fence,
                               .endpoint = view.endpoint,
                               .delivery = delivery.key,
                               .version = view.version,
                               .state = delivery::Due{known.wall},
                               .record = view.record};
  ++change.record.round;
  change.record.progress = {};
  change.record.parked_since.reset();
  change.record.parked_asks = 0;
  ++view.version.value;
  view.state = change.state;
  view.record = change.record;
  commit(change);
}

void Story::apply(const Delivery& delivery, const But<Effect>& but) {
  const MadeEvent& made = made_.at(delivery.event);
  const store::DeliveryView& view = row(delivery);
  Effect effect{.receiver = endpoint(delivery).receiver,
                .effect_no = static_cast<std::int64_t>(++receiver().effects),
                .source = "shop",
                .event = view.id.event,
                .type = made.type,
                .endpoint = delivery.endpoint,
                .key = made.key,
                .sequence = view.sequence,
                .data = made.data};
  if (but) but(effect);
  receiver().records.push_back(
      {.source = "shop", .event = effect.event, .endpoint = delivery.endpoint, .applied = true});
  tell([&](Checker& checker) { checker.effect_made(effect); });
}

}  // namespace semel::sim
