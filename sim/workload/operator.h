// operator.h: the person who makes and deletes endpoints, looks, and replays what is dead.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "port/scope.h"
#include "sim/workload/stage.h"

namespace semel::sim {

// What is asked for when an endpoint is made.
struct EndpointPlan {
  std::string host;
  std::string receiver;  // the process that receives there
  ReceiverKind kind = ReceiverKind::honest;
  std::vector<std::string> event_types{"*"};
  std::string secret;  // empty: the server makes one
  std::string source;
  bool brisk = false;  // a policy whose rounds end within an hour
};

class Operator {
 public:
  explicit Operator(Stage& stage);

  // Until it is there. An answer that was lost leaves an endpoint that nobody asked for twice: each try has a path of
  // its own.
  Co<EndpointId> make_endpoint(EndpointPlan plan);
  // Until it is gone.
  Co<void> delete_endpoint(EndpointId id);
  // Asks once.
  Co<void> replay(std::string delivery_id);

  struct Letter {
    std::string id;
    std::string endpoint;
    std::string key;
    std::uint64_t sequence = 0;
  };
  // All deliveries in this state; nullopt: no answer.
  Co<std::optional<std::vector<Letter>>> list(std::string state);
  // Replays the lowest dead delivery of each key of each endpoint, and all without a key. How many are dead; those of
  // endpoints that were deleted since do not count: they stay as they are.
  Co<std::optional<std::size_t>> replay_lowest_dead();

  // While faults act: looks here and there, and replays single deliveries.
  void start_meddling();
  void start_looking();
  // .. and endpoints are given further subscriptions, each for a while.
  void start_resubscribing();

  ClientHost& host() { return host_; }

 private:
  Co<void> meddle();
  Co<void> look();
  Co<void> resubscribe(Draw draw);
  // nullopt: whether it was made is not known, or its endpoint is gone.
  Co<std::optional<SubscriptionId>> subscribe(const KnownSubscription& subscription);
  // Until DELETE there says that it is gone, now or from an earlier try whose answer was lost.
  Co<void> delete_until_gone(std::string path);
  // Nobody is answered so: I-ANSWER.
  void odd(std::string_view asked, const http::SimpleAnswer& answer);
  std::string config_json(const EndpointPlan& plan, const std::string& url);
  Co<std::optional<http::SimpleAnswer>> ask(std::string method, std::string path, std::string body);

  Stage& stage_;
  ClientHost host_;
  Draw draw_;
  std::uint32_t endpoints_asked_ = 0;
  std::uint64_t subscriptions_asked_ = 0;
  std::vector<EndpointId> honest_;  // made, at honest receivers
  std::set<std::string> deleted_;   // asked to be
  Scope scope_;
};

}  // namespace semel::sim
