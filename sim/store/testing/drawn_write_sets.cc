// drawn_write_sets.cc: one function a kind.
#include "sim/store/testing/drawn_write_sets.h"

#include <utility>

#include "core/delivery/step.h"
#include "core/endpoint/config.h"
#include "core/intake/item_of.h"

namespace semel::sim {
namespace {

constexpr std::uint64_t kEndpoints = 7;
constexpr std::uint64_t kEvents = 25;
constexpr std::uint64_t kSubscriptions = 12;
constexpr std::uint64_t kApiKeys = 4;
constexpr std::array<std::string_view, 4> kTypes{"order.made", "order.paid", "shipment.sent", "x.y.z"};
constexpr std::array<std::string_view, 6> kPatterns{"*", "order.*", "order.made", "shipment.sent", "x.*", "x.y.z"};

std::vector<std::string> names(std::string_view prefix, std::uint64_t pool) {
  std::vector<std::string> all;
  for (std::uint64_t i = 0; i < pool; ++i) all.push_back(std::string(prefix) + std::to_string(i));
  return all;
}

}  // namespace

std::vector<std::string> DrawnWriteSets::endpoint_names() { return names("ep_", kEndpoints); }
std::vector<std::string> DrawnWriteSets::event_names() { return names("e", kEvents); }

store::WriteSet DrawnWriteSets::next(store::StoreReader& store, Fence fence) {
  if (!before_.empty() && one_in(8)) return before_[draw_.below(before_.size())];
  before_.push_back(fresh(store, fence));
  return before_.back();
}

store::WriteSet DrawnWriteSets::fresh(store::StoreReader& store, Fence fence) {
  const std::uint64_t kind = draw_.below(100);
  if (kind < 25) return intake();
  if (kind < 32) return batch();
  if (kind < 90)
    if (const std::optional<store::Delivery> row = some_delivery(store)) {
      if (kind < 72) {
        const bool flying = std::holds_alternative<delivery::InFlight>(row->state);
        return flying == !one_in(20) ? settle(*row, fence) : start(*row, store, fence);
      }
      if (kind < 78) return start(*row, store, fence);
      return kind < 86 ? change(*row, fence) : late(*row);
    }
  if (kind < 93) return create_endpoint();
  if (kind < 95) return create_subscription();
  if (kind < 96) return store::DeleteSubscription{tenant(), {name("sub_", kSubscriptions)}};
  if (kind < 98) return create_api_key();
  if (kind < 99) return store::DeleteApiKey{{name("key_", kApiKeys)}};
  return store::DeleteEndpoint{tenant(), {name("ep_", kEndpoints)}, tick()};
}

std::string DrawnWriteSets::event_json() {
  std::string json = R"({"type":")" + std::string(draw_.pick(std::span<const std::string_view>(kTypes))) +
                     R"(","data":{"n":)" + std::to_string(draw_.below(3)) + "}";
  if (one_in(3)) json += R"(,"id":")" + name("e", kEvents) + '"';
  if (one_in(5)) json += R"(,"correlation_id":")" + name("c", 3) + '"';
  const std::uint64_t line = draw_.below(6);
  if (line < 3) json += R"(,"ordering_key":"k)" + std::to_string(line) + '"';
  if (line == 3 || line == 4) json += R"(,"ordering_key":"p)" + std::to_string(line) + '"';
  if (line == 3 || line == 4 || (line < 3 && one_in(15)))
    json += R"(,"sequence":)" + std::to_string(draw_.between(1, 1 + static_cast<std::int64_t>(fresh_ids_ / 12)));
  if (line == 4 && one_in(3)) json += R"(,"sequence_start":true)";
  return json + "}";
}

intake::Item DrawnWriteSets::item(std::size_t position) {
  intake::ItemOptions options{.fresh_id = "evt_" + std::to_string(++fresh_ids_), .accepted_at = tick()};
  if (one_in(60)) options.fresh_id = name("evt_", 10);  // a drawn id that is taken, mostly
  intake::Item item = intake::item_of(event_json(), options);
  item.position = position;
  return item;
}

store::Intake DrawnWriteSets::intake() {
  store::Intake intake{.tenant = tenant(), .client = name("client_", 2), .items = {}, .batch_key = {}};
  for (std::uint64_t left = one_in(4) ? draw_.below(4) : 1; left > 0; --left) {
    intake.items.push_back(item(intake.items.size()));
    if (one_in(2)) intake.items.back().key = idempotency::hash_key({name("key ", 12)});
    intake.items.back().behind_refused = one_in(20);
  }
  return intake;
}

store::Intake DrawnWriteSets::batch() {
  store::Intake intake{.tenant = TenantKey{1}, .client = name("client_", 2), .items = {}, .batch_key = {}};
  const std::uint64_t items = 1 + draw_.below(5);
  for (std::uint64_t i = 0; i < items; ++i) {
    intake.items.push_back(item(one_in(40) ? 0 : i));
    intake.items.back().behind_refused = one_in(20);
  }
  // As good as the content's own fingerprint: whoever repeats a batch repeats the write-set as a whole.
  idempotency::Fingerprint content{};
  content[0] = static_cast<std::uint8_t>(draw_.below(2));
  intake.batch_key = store::Intake::BatchKey{idempotency::hash_key({name("batch ", 10)}), content};
  return intake;
}

std::optional<store::Delivery> DrawnWriteSets::some_delivery(store::StoreReader& store) {
  // Mostly of those that are open, which are few.
  if (!one_in(3)) {
    const auto open = store.open_deliveries(DeliveryKey{0}, 200);
    if (!open->empty()) return (*open)[draw_.below(open->size())];
  }
  std::int64_t last = 0;
  for (std::int64_t step = 1 << 12; step > 0; step /= 2)
    if (store.delivery(DeliveryKey{last + step})->has_value()) last += step;
  return last == 0 ? std::nullopt : *store.delivery(DeliveryKey{draw_.between(1, last)});
}

store::WriteSet DrawnWriteSets::start(const store::Delivery& row, store::StoreReader& store, Fence fence) {
  const auto endpoint = store.endpoint(row.endpoint);
  delivery::Record record = row.record;
  delivery::InFlight flight{.attempt = record.attempts + 1, .started_at = tick(), .counts = one_in(2)};
  if (const delivery::Step step = delivery::start_attempt(row.state, row.record, now_)) {
    record = step->record;
    flight = std::get<delivery::InFlight>(step->next);
  }
  if (one_in(40)) flight.attempt = static_cast<std::uint32_t>(draw_.below(3));
  if (one_in(60)) record.round = static_cast<std::uint32_t>(draw_.below(3));
  record.attempts = flight.attempt;
  return store::StartAttempt{.tenant = one_in(30) ? tenant() : row.tenant,
                             .fence = about(fence),
                             .delivery = one_in(60) ? DeliveryKey{99'999} : row.key,
                             .version = about(row.version),
                             .endpoint = one_in(60) ? EndpointKey{draw_.between(1, 9)} : row.endpoint,
                             .endpoint_version = about((*endpoint)->version),
                             .record = record,
                             .state = flight};
}

store::OutcomeRow DrawnWriteSets::outcome(std::string result) {
  store::OutcomeRow row{.at = tick(), .result = std::move(result), .failure = {}, .http_status = {}, .reason = ""};
  if (one_in(2)) row.failure = static_cast<FailureClass>(draw_.below(7));
  if (one_in(2)) row.http_status = static_cast<int>(draw_.between(200, 599));
  if (one_in(2)) row.reason = name("why ", 5);
  if (one_in(80)) row.result = "perhaps";
  return row;
}

store::WriteSet DrawnWriteSets::settle(const store::Delivery& row, Fence fence) {
  store::SettleAttempt settle{.tenant = row.tenant,
                              .fence = about(fence),
                              .endpoint = one_in(60) ? EndpointKey{draw_.between(1, 9)} : row.endpoint,
                              .delivery = row.key,
                              .version = about(row.version),
                              .attempt = one_in(40) ? 1 : row.record.attempts,
                              .outcome = {},
                              .state = {},
                              .record = row.record,
                              .endpoint_wait = {}};
  const WallTime now = tick();
  settle.record.progress = {.counted = static_cast<std::uint32_t>(draw_.below(9)),
                            .clock_origin = row.record.progress.clock_origin,
                            .last_delay = milliseconds(draw_.below(5'000))};
  settle.record.unsettled = one_in(2);
  if (one_in(6)) settle.endpoint_wait = admission::Wait{now + milliseconds(500), milliseconds(draw_.below(3) * 1'000)};
  switch (draw_.below(6)) {
    case 0:
      settle.outcome = outcome("retry");
      settle.state = delivery::Due{now + milliseconds(20)};
      break;
    case 1:
      settle.outcome = outcome("unknown");
      settle.state = delivery::Unknown{now, one_in(2)};
      break;
    case 2:
      settle.outcome = outcome("parked");
      settle.state = delivery::Parked{now + milliseconds(30)};
      if (one_in(10)) break;  // since when, it does not say
      settle.record.parked_since = now;
      ++settle.record.parked_asks;
      break;
    case 3:
      settle.outcome = outcome("dead");
      settle.state = delivery::Dead{now, name("reason_", 3)};
      break;
    default:
      settle.outcome = outcome("delivered");
      settle.state = delivery::Delivered{now};
      settle.record.first_delivered_at = row.record.first_delivered_at.value_or(now);
      break;
  }
  return settle;
}

store::WriteSet DrawnWriteSets::change(const store::Delivery& row, Fence fence) {
  store::ChangeDelivery change{.tenant = row.tenant,
                               .fence = about(fence),
                               .endpoint = row.endpoint,
                               .delivery = row.key,
                               .version = about(row.version),
                               .state = delivery::Due{tick()},
                               .record = row.record};
  if (one_in(4)) {
    change.state = delivery::Cancelled{now_, "by_hand"};
  } else if (const auto replay = delivery::replay(row.state, row.record, now_)) {
    change.state = replay->transition.next;
    change.record = replay->transition.record;
  }
  return change;
}

store::WriteSet DrawnWriteSets::late(const store::Delivery& row) {
  constexpr std::array<std::string_view, 3> kResults{"delivered", "retry", "unknown"};
  return store::LateOutcome{.tenant = one_in(20) ? TenantKey{2} : row.tenant,
                            .delivery = row.key,
                            .attempt = static_cast<std::uint32_t>(draw_.below(row.record.attempts + 2)),
                            .outcome = outcome(std::string(draw_.pick(std::span<const std::string_view>(kResults))))};
}

std::vector<std::string> DrawnWriteSets::event_types() {
  std::vector<std::string> types;
  for (std::uint64_t left = 1 + draw_.below(2); left > 0; --left)
    types.emplace_back(draw_.pick(std::span<const std::string_view>(kPatterns)));
  return types;
}

store::CreateEndpoint DrawnWriteSets::create_endpoint() {
  endpoint::Config config{.url = egress::read_url("https://shop.example/hook").value()};
  config.ordering = one_in(3) ? endpoint::Ordering::none : endpoint::Ordering::per_key;
  store::CreateEndpoint create{.tenant = tenant(),
                               .id = {name("ep_", kEndpoints)},
                               .config_json = one_in(30) ? "{}" : endpoint::config_json(config),
                               .sealed_secret = "sealed",
                               .now = tick(),
                               .subscription = {}};
  if (!one_in(4))
    create.subscription = store::CreateEndpoint::FirstSubscription{{name("sub_", kSubscriptions)}, event_types()};
  return create;
}

store::CreateSubscription DrawnWriteSets::create_subscription() {
  return {tenant(), {name("sub_", kSubscriptions)}, {name("ep_", kEndpoints)}, event_types(), tick()};
}

store::CreateApiKey DrawnWriteSets::create_api_key() {
  store::CreateApiKey create{.key = {.id = {name("key_", kApiKeys)},
                                     .secret_hash = {1, 2, 3},
                                     .role = static_cast<access::Role>(1 + draw_.below(4)),
                                     .tenant = {},
                                     .client = name("client_", 2),
                                     .event_types = {}},
                             .now = tick()};
  if (one_in(2)) create.key.tenant = tenant();
  if (one_in(2)) create.key.event_types = event_types();
  return create;
}

}  // namespace semel::sim
