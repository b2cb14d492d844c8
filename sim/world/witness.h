// witness.h: sees everything that happens in a world and tells it to all checkers; remembers the first violation.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "port/telemetry.h"
#include "sim/check/checker.h"
#include "sim/net/observer.h"
#include "sim/store/doubtful_store.h"
#include "sim/world/chart.h"

namespace semel::sim {

struct Violation {
  std::string checker;
  std::string text;
  MonotonicTime at;
};

class Witness final : public NetObserver, public CommitObserver {
 public:
  Witness();

  Known known;
  Chart chart;
  // Brings the times of `known` up to date: they have to be right within the first turn of a moment, too.
  std::function<void()> look_at_clock = [] {};

  const std::optional<Violation>& violation() const { return violation_; }
  void violate(std::string_view checker, std::string text);

  // Hours of virtual time with an attempt, a fault or a commit in them.
  void busy() {
    look_at_clock();
    busy_hours_.insert(known.now.ns / 3'600'000'000'000);
  }
  std::size_t busy_hours() const { return busy_hours_.size(); }

  template <class F>
  void tell(F f) {
    look_at_clock();
    for (const auto& checker : checkers_) f(*checker);
  }

  void connect_asked(std::string_view process, const egress::SocketAddress& to) override;
  void connection_opened(std::string_view process, std::size_t asked, std::size_t accepted) override;
  void request_left(std::string_view process, const WireRequest& request) override;
  void request_arrived(std::string_view process, const WireRequest& request) override;
  void answer_arrived(std::string_view process, const WireAnswer& answer) override;
  void commit_asked(const store::WriteSet& write_set, Fence by) override;
  void commit_done(const store::WriteSet& write_set, Fence by, CommitFate fate,
                   const store::CommitAnswer& answer) override;

  // An endpoint that somebody is about to ask for; known by its URL until a commit gives it an id.
  void plan(KnownEndpoint endpoint) { planned_[endpoint.url] = std::move(endpoint); }
  // The answer has reached who asked.
  void endpoint_made(const EndpointId& id, std::string secret);

 private:
  const KnownEndpoint* endpoint_of(const WireRequest& request) const;
  std::string id_of(EndpointKey key) const;
  void chart_commit(const store::WriteSet& write_set, CommitFate fate, const store::CommitAnswer& answer);

  std::vector<std::unique_ptr<Checker>> checkers_;
  std::optional<Violation> violation_;
  std::set<std::int64_t> busy_hours_;
  std::map<std::string, KnownEndpoint> planned_;       // by URL
  std::map<DeliveryKey, std::string> delivery_names_;  // for the chart: event and endpoint
  std::map<ConnectionId, WireRequest> asked_;          // of the server, the last one of each connection
};

// What a process of a world says about itself: told to the checkers, and a line of the trace.
class SimTelemetry final : public Telemetry {
 public:
  SimTelemetry(std::string process, Witness& witness, Trace& trace)
      : process_(std::move(process)), witness_(witness), trace_(trace) {}
  void note(Level level, std::string_view event, std::initializer_list<Field> fields) override;

 private:
  std::string process_;
  Witness& witness_;
  Trace& trace_;
};

}  // namespace semel::sim
