// promises.cc: write-sets by draw, and the comparison.
#include "sim/disk/promises.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/check.h"
#include "base/match.h"
#include "core/delivery/step.h"
#include "core/endpoint/config.h"
#include "core/intake/item_of.h"
#include "port/testing/start_of.h"

namespace semel::sim {
namespace {

using Answered = std::move_only_function<void(const store::CommitAnswer&)>;

constexpr TenantKey kTenant{1};
constexpr WallTime kNow{1'796'024'751'000};
constexpr std::uint64_t kProducersMax = 3;
constexpr std::uint64_t kEventsMax = 6;  // of one write-set
constexpr std::size_t kPage = 500;
const std::string kMain = "main";

// What the n-th event of a producer carries: mostly little, sometimes more than a page holds.
std::string data_of(std::size_t producer, std::uint64_t n) {
  const std::uint64_t drawn = mix(producer, n);
  const std::size_t size = drawn % 11 == 0 ? drawn % 6'000 : drawn % 300;
  return std::string(size, static_cast<char>('a' + drawn % 26));
}

std::string id_of(std::size_t producer, std::uint64_t n) { return fmt::format("p{}-{}", producer, n); }

struct Origin {
  std::size_t producer;
  std::uint64_t n;
};
std::optional<Origin> origin_of(std::string_view id) {
  Origin origin{};
  const char* end = id.data() + id.size();
  if (!id.starts_with('p')) return std::nullopt;
  const auto producer = std::from_chars(id.data() + 1, end, origin.producer);
  if (producer.ec != std::errc() || producer.ptr == end || *producer.ptr != '-') return std::nullopt;
  const auto n = std::from_chars(producer.ptr + 1, end, origin.n);
  if (n.ec != std::errc() || n.ptr != end) return std::nullopt;
  return origin;
}

intake::Item item_of(std::size_t producer, std::uint64_t n) {
  return intake::item_of(fmt::format(R"({{"type":"a.b","data":"{}","id":"{}","ordering_key":"p{}"}})",
                                     data_of(producer, n), id_of(producer, n), producer),
                         {.accepted_at = kNow});
}

std::string config_json() {
  const auto url = egress::read_url("https://shop.example/hook");
  SEMEL_CHECK(url.has_value());
  return endpoint::config_json({.url = *url});
}

delivery::StateName state_name(const store::Delivery& row) { return delivery::name_of(row.state); }

bool stands_as(const store::Delivery& row, const store::Delivery& promised) {
  return row.version == promised.version && state_name(row) == state_name(promised) &&
         row.record.attempts == promised.record.attempts;
}

std::string words_for(const store::CommitAnswer& answer) {
  return match(
      answer, [](const store::Committed&) -> std::string { return "committed"; },
      [](const store::Conflict&) -> std::string { return "a conflict"; },
      [](const store::Refused& refused) { return "refused: " + refused.error.note; },
      [](const store::Unknown& unknown) { return "unknown: " + unknown.error.note; });
}

}  // namespace

Promises::Promises(Draw draw, Terms terms, RecoveryReport& report)
    : draw_(std::move(draw)), terms_(terms), report_(report) {
  producers_.resize(draw_.below(kProducersMax) + 1);
}

void Promises::breach(Count count, const std::string& what, std::uint64_t times) {
  report_.*count += times;
  if (report_.first_breach.empty()) report_.first_breach = what;
}

bool Promises::was_committed(const store::CommitAnswer& answer) {
  if (std::holds_alternative<store::Committed>(answer)) {
    ++report_.acknowledged;
    return true;
  }
  if (!terms_.may_be_refused) breach(&RecoveryReport::wrong_answers, "answered without a cause: " + words_for(answer));
  return false;
}

// ---- what is asked ----

std::optional<Promises::Asked> Promises::next(Fence fence) {
  if (!main_) return ask_main_endpoint();
  const std::uint64_t kind = draw_.below(20);
  if (kind < 9) return ask_events(draw_.below(producers_.size()));
  if (kind < 18) return ask_delivery(fence);
  if (kind < 19) return ask_in_vain();
  return draw_.below(2) == 0 ? ask_new_endpoint() : ask_deleted_endpoint();
}

std::optional<Promises::Asked> Promises::ask_events(std::size_t number) {
  const Producer& producer = producers_[number];
  if (producer.waiting >= terms_.ahead_max) return std::nullopt;
  if (producer.refused) return ask_events_up_to(number, *producer.refused);
  return ask_events_up_to(number, producer.asked + draw_.below(kEventsMax) + 1);
}

Promises::Asked Promises::ask_events_up_to(std::size_t number, std::uint64_t end) {
  Producer& producer = producers_[number];
  const std::uint64_t first = producer.refused ? producer.acknowledged : producer.asked;
  store::Intake intake{.tenant = kTenant, .client = "shop", .items = {}, .batch_key = {}};
  for (std::uint64_t n = first; n < end; ++n) {
    intake.items.push_back(item_of(number, n));
    intake.items.back().position = n - first;
  }
  producer.asked = end;
  producer.refused.reset();
  producer.ends.push_back(end);
  ++producer.waiting;
  return {std::move(intake), [this, number, first, end](const store::CommitAnswer& answer) {
            Producer& asker = producers_[number];
            --asker.waiting;
            if (was_committed(answer)) {
              asker.acknowledged = end;
              take_events(std::get<store::IntakeAnswer>(std::get<store::Committed>(answer).made), number, first);
            } else {
              asker.refused = end;
            }
          }};
}

void Promises::take_events(const store::IntakeAnswer& answer, std::size_t number, std::uint64_t first) {
  for (std::size_t i = 0; i < answer.items.size(); ++i) {
    const auto* taken = std::get_if<store::Taken>(&answer.items[i]);
    if (!taken || taken->sequence != first + i + 1)
      breach(&RecoveryReport::wrong_answers,
             fmt::format("event {} was not taken in its place", id_of(number, first + i)));
    if (!taken) continue;
    for (const store::Delivery& fresh : taken->fresh)
      deliveries_.insert_or_assign(fresh.key, DeliveryPromise{fresh, {}});
  }
}

std::optional<Promises::Asked> Promises::ask_delivery(Fence fence) {
  if (deliveries_.empty()) return std::nullopt;
  // The old ones often, so that they end.
  auto at = draw_.below(2) == 0
                ? deliveries_.begin()
                : std::next(deliveries_.begin(), static_cast<std::ptrdiff_t>(draw_.below(deliveries_.size())));
  const auto is_free = [](const auto& entry) {
    return !entry.second.asked && delivery::is_open(state_name(entry.second.there));
  };
  at = std::find_if(at, deliveries_.end(), is_free);
  if (at == deliveries_.end()) return std::nullopt;
  at->second.compared = false;
  return std::holds_alternative<delivery::InFlight>(at->second.there.state) ? ask_outcome(fence, at->second)
                                                                            : ask_attempt(fence, at->second);
}

Promises::Asked Promises::ask_attempt(Fence fence, DeliveryPromise& promise) {
  const store::Delivery& due = promise.there;
  store::StartAttempt start = store::start_of(due, fence, main_->version, kNow);
  promise.asked = due;
  ++promise.asked->version.value;
  promise.asked->state = start.state;
  promise.asked->record = start.record;
  return {start, when_moved(due.key)};
}

Promises::Asked Promises::ask_outcome(Fence fence, DeliveryPromise& promise) {
  const store::Delivery& in_flight = promise.there;
  retry::Verdict verdict{.decision = retry::Delivered{}, .after = in_flight.record.progress};
  std::string result = "delivered";
  if (draw_.below(3) == 0) {
    verdict.decision = retry::RetryAt{kNow, FailureClass::transient};
    result = "retry";
  }
  const delivery::Step step = delivery::settle(in_flight.state, in_flight.record, verdict, kNow);
  SEMEL_CHECK(step.has_value());
  promise.asked = in_flight;
  ++promise.asked->version.value;
  promise.asked->state = step->next;
  promise.asked->record = step->record;
  return {store::SettleAttempt{.tenant = kTenant,
                               .fence = fence,
                               .endpoint = in_flight.endpoint,
                               .delivery = in_flight.key,
                               .version = in_flight.version,
                               .attempt = in_flight.record.attempts,
                               .outcome = {.at = kNow, .result = result, .reason = "drawn"},
                               .state = step->next,
                               .record = step->record},
          when_moved(in_flight.key)};
}

Answered Promises::when_moved(DeliveryKey key) {
  return [this, key](const store::CommitAnswer& answer) {
    DeliveryPromise& promise = deliveries_.at(key);
    if (was_committed(answer)) promise.there = *std::exchange(promise.asked, std::nullopt);
  };
}

std::optional<Promises::Asked> Promises::ask_main_endpoint() {
  const auto [entry, is_new] = endpoints_.try_emplace(kMain, EndpointPromise{false, {}});
  if (entry->second.asked && !terms_.may_be_refused) return std::nullopt;
  entry->second.asked = true;
  Answered note = when_endpoint(kMain);
  return Asked{store::CreateEndpoint{.tenant = kTenant,
                                     .id = {kMain},
                                     .config_json = config_json(),
                                     .sealed_secret = "sealed",
                                     .now = kNow,
                                     .subscription = store::CreateEndpoint::FirstSubscription{{"sub"}, {"*"}}},
               [this, told = std::move(note)](const store::CommitAnswer& answer) mutable {
                 told(answer);
                 if (const auto* committed = std::get_if<store::Committed>(&answer))
                   main_ = std::get<store::Endpoint>(committed->made);
               }};
}

Promises::Asked Promises::ask_new_endpoint() {
  const std::string id = fmt::format("ep{}", ++endpoints_made_);
  endpoints_.insert_or_assign(id, EndpointPromise{false, true});
  return {store::CreateEndpoint{
              .tenant = kTenant, .id = {id}, .config_json = config_json(), .sealed_secret = "sealed", .now = kNow},
          when_endpoint(id)};
}

std::optional<Promises::Asked> Promises::ask_deleted_endpoint() {
  const auto found = std::ranges::find_if(
      endpoints_, [](const auto& entry) { return entry.second.there && !entry.second.asked && entry.first != kMain; });
  if (found == endpoints_.end()) return std::nullopt;
  found->second.asked = false;
  return Asked{store::DeleteEndpoint{kTenant, {found->first}, kNow}, when_endpoint(found->first)};
}

Answered Promises::when_endpoint(const std::string& id) {
  return [this, id](const store::CommitAnswer& answer) {
    EndpointPromise& promise = endpoints_.at(id);
    if (was_committed(answer)) promise.there = *std::exchange(promise.asked, std::nullopt);
  };
}

// A commit that writes nothing.
Promises::Asked Promises::ask_in_vain() {
  return {store::DeleteSubscription{kTenant, {"nobody_s"}}, [this](const store::CommitAnswer& answer) {
            const auto* refused = std::get_if<store::Refused>(&answer);
            if (!terms_.may_be_refused && !(refused && refused->error.fault == Fault::not_found))
              breach(&RecoveryReport::wrong_answers, "what is not there was deleted: " + words_for(answer));
          }};
}

void Promises::forget_answers() {
  for (Producer& producer : producers_) producer.waiting = 0;
}

// ---- what is found ----

Result<void> Promises::compare(store::StoreReader& reader) {
  SEMEL_TRY(events, compare_events(reader));
  SEMEL_TRY_VOID(compare_deliveries(reader, events));
  return compare_endpoints(reader);
}

// All behind the last one that was compared; the answer: those that were never seen before.
Result<std::set<EventKey>> Promises::compare_events(store::StoreReader& reader) {
  std::vector<std::uint64_t> seen;
  for (const Producer& producer : producers_) seen.push_back(last_event_.value == 0 ? 0 : producer.found);
  std::set<EventKey> events;
  for (std::vector<store::EventView> page;;) {
    SEMEL_TRY(read, reader.events({.tenant = kTenant, .after = last_event_, .limit = kPage}));
    page = std::move(read);
    for (const store::EventView& event : page) {
      if (compare_event(event, seen) == Seen::first_time) events.insert(event.key);
      last_event_ = event.key;
    }
    if (page.size() < kPage) break;
  }
  for (std::size_t i = 0; i < producers_.size(); ++i) compare_producer(i, seen[i]);
  return events;
}

Promises::Seen Promises::compare_event(const store::EventView& event, std::vector<std::uint64_t>& seen) {
  const std::optional<Origin> origin = origin_of(event.id.text);
  if (!origin || origin->producer >= producers_.size()) {
    breach(&RecoveryReport::corrupt, "an event that nobody wrote: " + event.id.text);
    return Seen::before;
  }
  std::uint64_t& expected = seen[origin->producer];
  if (origin->n != expected || event.sequence != expected + 1)
    breach(&RecoveryReport::holes,
           fmt::format("{} is there, {} is not", event.id.text, id_of(origin->producer, expected)));
  if (event.envelope.find(fmt::format(R"("data":"{}")", data_of(origin->producer, origin->n))) == std::string::npos)
    breach(&RecoveryReport::corrupt, "other bytes than were written: " + event.id.text);
  expected = origin->n + 1;
  return origin->n < producers_[origin->producer].found ? Seen::before : Seen::first_time;
}

void Promises::compare_producer(std::size_t number, std::uint64_t seen) {
  Producer& producer = producers_[number];
  if (seen < producer.acknowledged)
    breach(&RecoveryReport::lost,
           fmt::format("{} was acknowledged and is not there", id_of(number, producer.acknowledged - 1)),
           producer.acknowledged - seen);
  if (seen != producer.found && std::ranges::find(producer.ends, seen) == producer.ends.end())
    breach(&RecoveryReport::corrupt, fmt::format("half a write-set: it goes beyond {}", id_of(number, seen)));
  for (const std::uint64_t end : producer.ends) {
    if (end <= producer.acknowledged) continue;
    ++report_.doubtful;
    if (end <= seen) ++report_.doubtful_present;
  }
  producer = {.found = seen, .acknowledged = seen, .asked = seen};
}

Result<void> Promises::compare_deliveries(store::StoreReader& reader, const std::set<EventKey>& events) {
  for (bool more = true; more;) {
    SEMEL_TRY(page, reader.open_deliveries(last_delivery_, kPage));
    for (store::Delivery& row : page) {
      last_delivery_ = std::max(last_delivery_, row.key);
      deliveries_.try_emplace(row.key, DeliveryPromise{row, {}});
    }
    more = page.size() == kPage;
  }
  std::set<EventKey> without = events;
  for (auto entry = deliveries_.begin(); entry != deliveries_.end();) {
    DeliveryPromise& promise = entry->second;
    without.erase(promise.there.event);
    if (!promise.compared || promise.asked) {
      SEMEL_TRY(is_there, compare_delivery(reader, promise));
      promise.compared = true;
      if (is_there) last_delivery_ = std::max(last_delivery_, entry->first);
      if (!is_there || !delivery::is_open(state_name(promise.there))) {
        entry = deliveries_.erase(entry);
        continue;
      }
    }
    ++entry;
  }
  if (!without.empty())
    breach(&RecoveryReport::corrupt, fmt::format("event {} has no delivery", without.begin()->value));
  return {};
}

Result<bool> Promises::compare_delivery(store::StoreReader& reader, DeliveryPromise& promise) {
  SEMEL_TRY(row, reader.delivery(promise.there.key));
  SEMEL_TRY(attempts, reader.attempts(promise.there.key));
  const std::optional<store::Delivery> asked = std::exchange(promise.asked, std::nullopt);
  const std::string name = fmt::format("delivery {}", promise.there.key.value);
  if (!row) {
    breach(&RecoveryReport::lost, name + " is not there");
    return false;
  }
  if (asked) ++report_.doubtful;
  if (asked && stands_as(*row, *asked)) {
    ++report_.doubtful_present;
    promise.there = *row;
  } else if (!stands_as(*row, promise.there)) {
    const bool older = row->version < promise.there.version;
    breach(older ? &RecoveryReport::lost : &RecoveryReport::corrupt,
           fmt::format("{} stands at version {}, {} was acknowledged", name, row->version.value,
                       promise.there.version.value));
    promise.there = *row;
  }
  const bool in_flight = std::holds_alternative<delivery::InFlight>(promise.there.state);
  if (attempts.size() != promise.there.record.attempts ||
      (!attempts.empty() && attempts.back().outcomes.empty() != in_flight))
    breach(&RecoveryReport::corrupt, name + " and its attempts do not fit each other");
  return true;
}

Result<void> Promises::compare_endpoints(store::StoreReader& reader) {
  SEMEL_TRY(rows, reader.endpoints(kTenant));
  std::set<std::string> found;
  main_.reset();
  for (store::Endpoint& row : rows) {
    found.insert(row.id.text);
    if (row.id.text == kMain) main_ = std::move(row);
  }
  for (auto entry = endpoints_.begin(); entry != endpoints_.end();) {
    EndpointPromise& promise = entry->second;
    const bool is_there = found.erase(entry->first) > 0;
    if (promise.asked) ++report_.doubtful;
    if (promise.asked && is_there == *promise.asked) {
      ++report_.doubtful_present;
    } else if (is_there != promise.there) {
      breach(&RecoveryReport::lost, fmt::format("endpoint {}: its {} was acknowledged", entry->first,
                                                promise.there ? "creation" : "deletion"));
    }
    promise = {is_there, {}};
    entry = is_there ? std::next(entry) : endpoints_.erase(entry);
  }
  if (!found.empty()) breach(&RecoveryReport::corrupt, "an endpoint that nobody made: " + *found.begin());
  return {};
}

}  // namespace semel::sim
