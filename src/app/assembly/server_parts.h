// server_parts.h: the parts of a server and the order in which they start and stop, on whatever machine is given: the
// real one (app/server.cc) or a simulated one.
//
// Start:  tenants, keys, endpoints, the operator's key, dispatcher, listener; nothing is listened on before all that is
//         loaded.
// Stop:   nothing new is accepted or attempted; what is in flight ends and is recorded, within the time given.
// Threads: the loop's thread.
// On a crash: the next start continues from the store.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "api/api.h"
#include "engine/dispatcher.h"
#include "engine/endpoint_book.h"
#include "engine/intake.h"
#include "engine/key_ring.h"
#include "engine/tenants.h"
#include "http/client.h"
#include "http/server.h"
#include "port/clock.h"
#include "port/entropy.h"
#include "port/net.h"
#include "port/secrets.h"
#include "port/store.h"
#include "port/telemetry.h"

namespace semel::app {

// All must outlive the server.
struct Machine {
  Net& net;
  Resolver& resolver;
  Clock& clock;
  Executor& executor;
  Entropy& entropy;
  Secrets& secrets;
  Telemetry& telemetry;
  const egress::EgressRules& egress;
};

struct StartOptions {
  SocketAddress listen;
  std::string master_key_origin;  // where it was read, for the error when it opens nothing
  // Awaited once the stored keys are loaded: sees to it that somebody can open the server.
  std::move_only_function<Co<Result<void>>(engine::KeyRing&)> open_for_operator;
};

class ServerParts {
 public:
  ServerParts(Machine machine, std::unique_ptr<store::Store> store);

  Co<Result<void>> start(StartOptions options);
  Co<void> stop(milliseconds within);  // only once it listens

  // Set once start() got as far as listening.
  bool listening() const { return listener_ != nullptr; }
  SocketAddress local() const { return listener_->local(); }
  engine::Dispatcher& dispatcher() { return dispatcher_; }

 private:
  Machine machine_;
  std::unique_ptr<store::Store> store_;
  http::HttpExchange exchange_;
  engine::Tenants tenants_;
  engine::KeyRing keys_;
  engine::EndpointBook endpoints_;
  engine::Dispatcher dispatcher_;
  engine::Intake intake_;
  api::Api api_;
  std::unique_ptr<http::Server> listener_;
};

}  // namespace semel::app
