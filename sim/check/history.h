// history.h: what happened in a world, as observations that name what they speak of; what checkers read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "core/endpoint/config.h"
#include "port/store.h"
#include "sim/net/observer.h"
#include "sim/store/doubtful_store.h"

namespace semel::sim {

inline constexpr std::string_view kServerProcess = "server";

// One event as a producer made it. `data` tells the story by itself: {"n":number,"key":..,"i":index,"amount"?:..}.
struct MadeEvent {
  std::uint64_t number;  // of the world, from 1; no two events share it
  std::string type;
  std::optional<std::string> key;  // ordering key; each key has one producer
  std::uint64_t index = 0;         // within its key, from 0, in the order the producer means
  std::string data;                // the JSON text of `data`
  std::int64_t amount = 0;         // of a transfer's half; the halves of one transfer add up to 0
};

// One request to POST /v1/events or /v1/events/batch; a retry after an unknown answer is the same submission again.
struct Submission {
  std::uint64_t number;
  std::string producer;
  std::string idempotency_key;
  bool batch = false;
  std::vector<MadeEvent> events;
};

struct AcceptedEvent {
  std::uint64_t number;  // MadeEvent's
  EventId id;
  std::optional<Sequence> sequence;
  bool duplicate = false;
  std::vector<EndpointId> endpoints;  // of its deliveries, as answered
};

// What a producer was told; of a batch the answers that were 202.
struct SubmissionAnswer {
  int status = 0;
  bool replayed = false;  // Idempotent-Replayed: true
  std::vector<AcceptedEvent> accepted;
  std::string body;
};

enum class ReceiverKind : std::uint8_t { honest, hostile };

// An endpoint as the world knows it.
struct KnownEndpoint {
  EndpointId id;
  std::string url;  // https://HOST/PATH; no two endpoints share it
  std::string host;
  std::string path;
  std::string receiver;  // the process that receives there
  ReceiverKind kind = ReceiverKind::honest;
  endpoint::Config config;
  std::vector<std::string> event_types;  // of the subscription that was made with it
  std::string secret;                    // as shown once
  std::string source;                    // of the receiver's inbox; endpoints of one source dedup against each other
};

// One more subscription of an endpoint. As long as only `asked` was told, nobody knows whether it is there.
struct KnownSubscription {
  std::uint64_t number = 0;  // the operator's
  EndpointId endpoint;
  std::vector<std::string> event_types;
};
enum class SubscriptionStage : std::uint8_t { asked, made, delete_asked, deleted };

// A committed effect at an honest receiver, in the order of its effect_no.
struct Effect {
  std::string receiver;
  std::int64_t effect_no;
  std::string source;
  EventId event;
  std::string type;
  EndpointId endpoint;
  std::optional<std::string> key;
  std::optional<Sequence> sequence;
  std::string data;
};

// What a receiver's inbox answered, to the server or to who signs by hand.
struct InboxAnswer {
  std::string receiver;
  std::string source;
  EventId event;
  int status;
  std::string disposition;
};

// What an honest receiver's database holds of the server's source beside its effects.
struct ReceiverState {
  std::string receiver;
  struct Record {
    std::string source;
    EventId event;
    EndpointId endpoint;
    bool applied;  // else rejected by the application
  };
  std::vector<Record> records;
  std::uint64_t effects = 0;
  std::uint64_t parked_now = 0;
  std::uint64_t parked_in_a_line_max = 0;
  std::uint64_t late = 0;
};

// Everything the server's store says, read through StoreReader in one snapshot.
struct Inspection {
  enum class When : std::uint8_t {
    restarted,  // after each start of the server, before anything else happens
    healed,     // when faults have ended and before the operator replays what is dead
    end,        // when everything has to be settled
  };
  When when;
  WallTime wall;
  std::vector<store::EventView> events;
  std::vector<store::DeliveryView> deliveries;
  std::map<DeliveryKey, std::vector<store::AttemptView>> attempts;  // healed and end only
  std::vector<ReceiverState> receivers;                             // healed and end only; of honest ones
  std::uint64_t open_in_memory = 0;                                 // end only: the dispatcher's own counts
  std::uint64_t in_flight_in_memory = 0;
};

}  // namespace semel::sim
