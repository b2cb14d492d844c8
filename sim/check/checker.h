// checker.h: one invariant, watched from outside: what it is told, and how it says that it is broken.
//
// Names are those of the reference (I-ACK-DURABLE, ..; docs/testing.md lists them). A checker keeps only what it needs
// and calls violated() at the first observation that cannot be right; the world stops there.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/check/history.h"

namespace semel::sim {

// What all checkers may look up. Times are virtual; wall is the server's wall clock now.
struct Known {
  MonotonicTime now;
  WallTime wall;
  bool healed = false;
  milliseconds wall_steps{0};            // how far the server's wall clock has been moved so far, in all, both ways
  std::vector<KnownEndpoint> endpoints;  // in the order they were made; deleted ones too
  std::map<EndpointKey, EndpointId> endpoint_of_key;  // as the store numbered them
  Fence fence;                                        // of the running incarnation
  std::set<egress::SocketAddress> receivers;          // where the server may connect to
  std::vector<std::string> api_keys;                  // as who presents them; secret
  std::vector<MonotonicTime> wall_stepped_at;         // each of wall_steps, in order

  const KnownEndpoint* endpoint(const EndpointId& id) const;
  const KnownEndpoint* endpoint_at(std::string_view host, std::string_view path) const;
};

class Checker {
 public:
  using Violated = std::function<void(std::string_view checker, std::string text)>;

  virtual ~Checker() = default;
  virtual std::string_view name() const = 0;

  // ---- producers and operator, as they see it ----
  virtual void submitted(const Submission&) {}
  virtual void answered(const Submission&, const SubmissionAnswer&) {}
  virtual void endpoint_made(const KnownEndpoint&) {}
  virtual void endpoint_delete_asked(const EndpointId&) {}
  virtual void endpoint_deleted(const EndpointId&) {}  // answered 204
  virtual void subscription_is(const KnownSubscription&, SubscriptionStage) {}
  virtual void api_answered(std::string_view /*path*/, int /*status*/, std::string_view /*body*/) {}

  // ---- the wires ----
  virtual void connect_asked(std::string_view /*process*/, const egress::SocketAddress&) {}
  // By the server or at it: how many are open there that it asked for, and that it has accepted.
  virtual void connection_opened(std::size_t /*asked*/, std::size_t /*accepted*/) {}
  // Of the server's requests to endpoints. `endpoint` is nullptr when nobody has that URL.
  virtual void request_left(const WireRequest&, const KnownEndpoint* /*endpoint*/) {}
  virtual void request_arrived(const WireRequest&, const KnownEndpoint* /*endpoint*/) {}
  virtual void answer_arrived(const WireAnswer&, const WireRequest& /*to*/, const KnownEndpoint* /*endpoint*/) {}

  // ---- the store, below every doubt ----
  virtual void commit_asked(const store::WriteSet&, Fence /*by*/) {}
  virtual void commit_done(const store::WriteSet&, Fence /*by*/, CommitFate, const store::CommitAnswer&) {}

  // ---- receivers ----
  virtual void effect_made(const Effect&) {}  // of the server's source; seen some time after its commit, in order
  virtual void hand_signed_effect_made(const Effect&) {}  // of who signs by hand
  virtual void inbox_answered(const InboxAnswer&) {}      // by honest receivers, as far as it has reached who asked

  // ---- the processes ----
  virtual void logged(std::string_view /*process*/, std::string_view /*line*/) {}
  virtual void bytes_stored(std::string_view /*path*/, std::string_view /*bytes*/) {}  // of a file, at the end
  virtual void crashed(std::string_view /*process*/) {}
  virtual void started(std::string_view /*process*/, Fence /*of the server*/) {}

  virtual void healed() {}
  virtual void inspected(const Inspection&) {}

 protected:
  Checker(const Known& known, Violated violated) : known_(known), violated_(std::move(violated)) {}
  void violated(std::string text) { violated_(name(), std::move(text)); }

  const Known& known_;

 private:
  Violated violated_;
};

// All of them, each in its own file; names are unique.
std::vector<std::unique_ptr<Checker>> make_checkers(const Known& known, const Checker::Violated& violated);

}  // namespace semel::sim
