// sim_net.h: the network of a world: hosts with addresses, names, and byte streams between them that are slow, cut,
// clogged, one-way, repeated.
//
// Faults:    which strike, and how, is drawn by sim/kernel/faults.h. What counts as one occasion:
//            refused, tls         a connect: refused or not answered; handshake or certificate fails, or it stalls
//            delay, drip          a connection: slow by up to half a minute in all; one direction in small pieces
//            clog, partition      a request: one direction between its hosts stands still, or drops everything, for up
//                                 to a minute
//            cut                  a request: reset, end or silence at a byte of it or of its answer (few bytes, the end
//                                 of the headers, the last byte, the end)
//            replay               a POST with a webhook-id: arrives again within 20 minutes, over a connection of its
//                                 own; nobody reads the answer
//            stale_close          a connection that becomes idle: the receiver's side closes it within half a minute,
//                                 or just when it is taken again
//            dns                  a query: no answer, failures, another order, more answers than allowed, an address
//                                 that is denied among them or alone, the address of nobody
// Contracts: port/net.h, so that the real HTTP client and server run on it. TLS is a name and an outcome, no bytes.
// Lifetime:  nets, resolvers, streams and listeners are destroyed before this, and processes killed.
// Traps:     bytes of one direction never overtake each other; an event of the network never touches an operation of a
//            process that was killed or of a stream that was closed; nothing of the network holds `this` of a port.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "port/net.h"
#include "sim/kernel/faults.h"
#include "sim/kernel/process.h"
#include "sim/net/observer.h"

namespace semel::sim {

class SimNet {
 public:
  SimNet(Schedule& schedule, Draw draw, Faults& faults, Trace& trace, NetObserver& observer);
  ~SimNet();
  SimNet(const SimNet&) = delete;
  SimNet& operator=(const SimNet&) = delete;

  // What a process at this address sees of the network. A host may have several addresses of others' choice, but
  // listens and connects as this one. Destroyed after process.kill() or while it lives, but before the process is; from
  // then on the process hears nothing of its operations and connections.
  std::unique_ptr<Net> net_of(Process& process, IpAddress own);
  std::unique_ptr<Resolver> resolver_of(Process& process);

  // The truth of the names; a dns fault answers something else, or nothing, for a while.
  void name_host(const std::string& name, std::vector<IpAddress> addresses);

  // The process at `host` was killed: its listeners are gone, and each peer of its connections sees a reset, an end or
  // nothing, as drawn.
  void sever(IpAddress host);

  // After Faults::heal(): clogs and partitions are lifted, delays and drips end, what is planned for later does not
  // come, links are quick; what was cut stays cut.
  void heal();

  // Of which an end is still open.
  std::size_t connections() const;

 private:
  struct State;
  class NodeNet;
  class NodeResolver;
  std::unique_ptr<State> state_;
};

}  // namespace semel::sim
