// store.h: the durable truth. Small write-sets go in; each is answered committed, conflict, refused or unknown.
//
// A write-set carries the rows it changes and the versions and fences it relies on. One writer commits everything that
// is queued in one transaction, without a timer (group commit); each write-set of the group stands or falls alone.
// Answers:    committed  it is there, fsynced, after any crash (I-ACK-DURABLE);
//             conflict   a version or fence stood elsewhere: nothing of it is there; read again and decide again;
//             refused    surely nothing happened (the store is closed, a bound is reached, no space before COMMIT);
//             unknown    it may be there. After an I/O error or failed fsync the process must end (`fatal`).
// Threads:    start_* from the loop's thread; `done` runs on the loop's thread. StoreReader functions run on a lane.
// On a crash: what was answered committed is there; what was not may be there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/keys.h"
#include "base/result.h"
#include "base/time.h"
#include "core/access/access.h"
#include "core/admission/window.h"
#include "core/delivery/state.h"
#include "core/endpoint/config.h"
#include "core/idempotency/fingerprint.h"
#include "core/intake/decide.h"
#include "core/retry/judge.h"
#include "port/cancel.h"
#include "port/co.h"

namespace semel::store {

// ---- what is read ----

struct Tenant {
  TenantKey key;
  std::string name;
  std::string sealed_fingerprint_key;  // sealed under "tenant/NAME/fingerprint"
};

struct SealedSecret {
  std::int64_t number;  // rises with each secret of the endpoint
  std::string sealed;   // sealed under "endpoint/ENDPOINT_ID/secret/NUMBER"
  std::optional<WallTime> not_after;
};

struct Endpoint {
  EndpointKey key;
  TenantKey tenant;
  EndpointId id;
  Version version;
  std::string config_json;  // core/endpoint/config.h
  std::vector<SealedSecret> secrets;
  std::optional<admission::Wait> wait;
  WallTime created_at;
  std::optional<WallTime> deleted_at;
};

struct Subscription {
  SubscriptionKey key;
  TenantKey tenant;
  SubscriptionId id;
  EndpointId endpoint;
  std::vector<std::string> event_types;
  WallTime created_at;
};

struct ApiKeyRow {
  access::ApiKey key;
  WallTime created_at;
};

// A delivery as the dispatcher keeps it.
struct Delivery {
  DeliveryKey key;
  TenantKey tenant;
  EventKey event;
  EndpointKey endpoint;
  std::optional<LineKey> line;       // set when the event has an ordering key
  std::optional<Sequence> sequence;  // likewise
  std::optional<Sequence> after;     // likewise
  Version version;
  delivery::State state;
  delivery::Record record;
};

// What an attempt sends.
struct EventBody {
  EventKey key;
  EventId id;
  std::string envelope;
  std::size_t data_offset;
  std::optional<std::string> ordering_key;
  std::optional<Sequence> sequence;
  std::optional<std::string> correlation_id;
  std::string type;
};

struct OutcomeView {
  bool late;  // learned after something else had settled the attempt
  WallTime at;
  std::string result;  // delivered, retry, parked, unknown, dead; of a late one what it would have been
  std::optional<FailureClass> failure;
  std::optional<int> http_status;
  std::string reason;  // short word, or what the receiver said
};

struct AttemptView {
  std::uint32_t number;
  std::uint32_t round;
  bool counts;
  WallTime started_at;
  std::vector<OutcomeView> outcomes;  // empty while in flight
};

// A delivery as a person sees it.
struct DeliveryView {
  DeliveryKey key;
  DeliveryId id;
  EndpointKey endpoint;
  std::string event_type;
  std::optional<std::string> ordering_key;
  std::optional<Sequence> sequence;
  std::optional<Sequence> after;
  Version version;
  delivery::State state;
  delivery::Record record;
  // Set when it waits for a lower sequence of its line (state due, unknown or parked on a per-key endpoint): that
  // predecessor, which is open or dead. Derived, never stored.
  std::optional<EventId> blocked_by;
};

struct EventView {
  EventKey key;
  EventId id;
  std::string type;
  std::string envelope;
  std::optional<std::string> ordering_key;
  std::optional<Sequence> sequence;
  std::optional<std::string> correlation_id;
  WallTime accepted_at;
};

struct DeliveryFilter {
  TenantKey tenant;
  std::optional<delivery::StateName> state;
  bool blocked_only = false;
  std::optional<EndpointId> endpoint;
  std::optional<DeliveryKey> after;  // cursor: rows behind this one, in rising order
  std::size_t limit = 50;            // at most 500
};

struct EventFilter {
  TenantKey tenant;
  std::optional<std::string> correlation_id;
  std::optional<std::string> type;
  std::optional<WallTime> since;
  std::optional<EventKey> after;
  std::size_t limit = 50;
};

// Reads of one snapshot. Every look-up by a textual id names the tenant: a row of another one is not found.
class StoreReader {
 public:
  virtual ~StoreReader() = default;
  virtual Result<std::vector<Tenant>> tenants() = 0;
  virtual Result<std::vector<Endpoint>> endpoints(std::optional<TenantKey> tenant) = 0;  // deleted ones left out
  virtual Result<std::optional<Endpoint>> endpoint(TenantKey tenant, const EndpointId& id) = 0;  // deleted ones too
  virtual Result<std::optional<Endpoint>> endpoint(EndpointKey key) = 0;
  virtual Result<std::vector<Subscription>> subscriptions(TenantKey tenant) = 0;
  virtual Result<std::vector<ApiKeyRow>> api_keys() = 0;
  // Open deliveries, and every dead one that has a line (on a per-key endpoint it holds back what comes later), with
  // key > after, in rising order.
  virtual Result<std::vector<Delivery>> open_deliveries(DeliveryKey after, std::size_t limit) = 0;
  virtual Result<std::optional<Delivery>> delivery(DeliveryKey key) = 0;
  // The highest sequence of the line that was ever delivered to the endpoint; 0 when none was.
  virtual Result<Sequence> highest_delivered(TenantKey tenant, EndpointKey endpoint, LineKey line) = 0;
  virtual Result<std::vector<EventBody>> event_bodies(const std::vector<EventKey>& keys) = 0;
  virtual Result<std::optional<EventView>> event(TenantKey tenant, const EventId& id) = 0;
  virtual Result<std::vector<EventView>> events(const EventFilter& filter) = 0;
  virtual Result<std::optional<DeliveryView>> delivery(TenantKey tenant, const DeliveryId& id) = 0;
  virtual Result<std::vector<DeliveryView>> deliveries(const DeliveryFilter& filter) = 0;
  virtual Result<std::vector<DeliveryView>> deliveries_of(TenantKey tenant, const EventId& id) = 0;
  virtual Result<std::vector<AttemptView>> attempts(DeliveryKey key) = 0;
};

// ---- what is written ----

// One or more submissions of one tenant; the store calls intake::decide on each, in order, inside the transaction.
struct Intake {
  TenantKey tenant;
  std::string client;  // the caller in the scope of idempotency keys
  std::vector<intake::Item> items;
  struct BatchKey {
    idempotency::KeyHash hash;
    idempotency::Fingerprint content;
  };
  std::optional<BatchKey> batch_key;
};

// An attempt begins: the delivery goes to in_flight and the attempt's row is inserted. Nothing may be sent before this
// is committed.
struct StartAttempt {
  TenantKey tenant;
  Fence fence;
  DeliveryKey delivery;
  Version version;  // of the delivery; every committed change raises it by one
  EndpointKey endpoint;
  Version endpoint_version;  // as the request was sealed
  delivery::Record record;   // after delivery::start_attempt
  delivery::InFlight state;
};

// What an attempt brought, for its record.
struct OutcomeRow {
  WallTime at;
  std::string result;
  std::optional<FailureClass> failure;
  std::optional<int> http_status;
  std::string reason;
};

// The attempt is judged: outcome row and new state together. On a conflict nothing is changed; the outcome then goes
// into a LateOutcome.
struct SettleAttempt {
  TenantKey tenant;
  Fence fence;
  EndpointKey endpoint;
  DeliveryKey delivery;
  Version version;
  std::uint32_t attempt;
  OutcomeRow outcome;
  delivery::State state;
  delivery::Record record;
  std::optional<admission::Wait> endpoint_wait;  // the endpoint begins to wait: stored in its own row
};

// What a worker learned after its delivery had moved on without it: evidence, changes no state.
struct LateOutcome {
  TenantKey tenant;
  DeliveryKey delivery;
  std::uint32_t attempt;
  OutcomeRow outcome;
};

// A replay or a cancel: a change of state without an attempt. Conflicts when the endpoint is deleted.
struct ChangeDelivery {
  TenantKey tenant;
  Fence fence;
  EndpointKey endpoint;
  DeliveryKey delivery;
  Version version;
  delivery::State state;
  delivery::Record record;
};

struct CreateEndpoint {
  TenantKey tenant;
  EndpointId id;
  std::string config_json;
  std::string sealed_secret;  // becomes number 1
  WallTime now;
  struct FirstSubscription {
    SubscriptionId id;
    std::vector<std::string> event_types;
  };
  std::optional<FirstSubscription> subscription;
};
// Its open deliveries are cancelled (endpoint_deleted), its secrets destroyed, its subscriptions removed; its row and
// its deliveries stay for queries.
struct DeleteEndpoint {
  TenantKey tenant;
  EndpointId id;
  WallTime now;
};
struct CreateSubscription {
  TenantKey tenant;
  SubscriptionId id;
  EndpointId endpoint;
  std::vector<std::string> event_types;
  WallTime now;
};
struct DeleteSubscription {
  TenantKey tenant;
  SubscriptionId id;
};
struct CreateApiKey {
  access::ApiKey key;
  WallTime now;
};
struct DeleteApiKey {
  ApiKeyId id;
};

using WriteSet = std::variant<Intake, StartAttempt, SettleAttempt, LateOutcome, ChangeDelivery, CreateEndpoint,
                              DeleteEndpoint, CreateSubscription, DeleteSubscription, CreateApiKey, DeleteApiKey>;

// ---- what is answered ----

// What became of one submission.
struct Taken {
  EventId id;
  std::optional<Sequence> sequence;
  WallTime accepted_at;
  std::vector<EndpointId> endpoints;  // its deliveries
  bool duplicate = false;             // the member `duplicate` of the answer
  bool replayed = false;              // answered from what was stored before: Idempotent-Replayed: true
  // Of a newly stored event only: what the dispatcher needs.
  std::vector<Delivery> fresh;
  std::shared_ptr<const EventBody> body;
};
using ItemAnswer = std::variant<Taken, intake::Refuse>;

struct IntakeAnswer {
  std::vector<ItemAnswer> items;  // in the order of the write-set
  // The batch's key is bound to another content; nothing was stored and items is empty.
  bool batch_key_reused = false;
  bool batch_replayed = false;  // every item's answer comes from the first time
};

struct Committed {
  // IntakeAnswer for Intake; Endpoint for CreateEndpoint; Subscription for CreateSubscription; else nothing.
  std::variant<std::monostate, IntakeAnswer, Endpoint, Subscription> made;
};
struct Conflict {};
struct Refused {
  Error error;  // not_found, conflict (a unique name), busy, unavailable
};
struct Unknown {
  Error error;
  bool fatal;  // the process must end: what is in memory and in the page cache can no longer be trusted
};
using CommitAnswer = std::variant<Committed, Conflict, Refused, Unknown>;

class Store {
 public:
  virtual ~Store() = default;
  virtual void start_commit(WriteSet write_set, Done<CommitAnswer> done) = 0;
  // Runs `read` on the reader lane with one snapshot.
  virtual void start_reading(std::move_only_function<void(StoreReader&)> read, Done<Nothing> done) = 0;
  // The fence of this incarnation, taken when the store was opened; higher than every earlier one's.
  virtual Fence fence() const = 0;
};

inline Co<CommitAnswer> commit(Store& store, WriteSet write_set) {
  co_return co_await call<CommitAnswer>(
      [&](Done<CommitAnswer> done) { store.start_commit(std::move(write_set), std::move(done)); });
}

// co_await read(store, [](StoreReader& reader) { return reader.tenants(); })
template <class F>
auto read(Store& store, F query) -> Co<std::invoke_result_t<F, StoreReader&>> {
  using Answer = std::invoke_result_t<F, StoreReader&>;
  std::optional<Answer> answer;
  co_await call<Nothing>([&](Done<Nothing> done) {
    store.start_reading([&](StoreReader& reader) { answer.emplace(query(reader)); }, std::move(done));
  });
  co_return std::move(*answer);
}

// Deliveries belong to shards; a fence is a shard's.
inline constexpr int kShards = 64;
constexpr int shard_of(TenantKey tenant, EndpointKey endpoint) {
  const auto mixed = (static_cast<std::uint64_t>(endpoint.value) * 0x9E3779B97F4A7C15ull) ^
                     (static_cast<std::uint64_t>(static_cast<std::uint32_t>(tenant.value)) * 0xC2B2AE3D27D4EB4Full);
  return static_cast<int>(mixed >> 58);
}

}  // namespace semel::store
