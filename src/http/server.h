// server.h: accepts connections and hands their requests to one handler.
//
// Bounds:    at most `connections_max` connections; one more is answered 503 and closed, and while too many are being
//            turned away, closed without a word.
// Threads:   the loop's thread only. The handler is entered again while earlier calls still wait.
// On a crash: clients see their connections break; what was not answered is for them to ask about.
#pragma once

#include <memory>
#include <unordered_set>

#include "base/result.h"
#include "http/session.h"
#include "port/clock.h"
#include "port/net.h"
#include "port/scope.h"
#include "port/serve.h"
#include "port/signal.h"

namespace semel::http {

struct ServerOptions {
  SessionOptions session;
  std::size_t connections_max = 1024;
};

class Server {
 public:
  // Use serve().
  Server(Executor& executor, Clock& clock, ServerOptions options, HttpHandler handler)
      : clock_(clock), options_(options), handler_(std::move(handler)), changed_(executor) {}
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  // Drops what is still under way: only after drain() returned true, or when the loop runs no more.
  ~Server() = default;

  Result<void> listen(Net& net, SocketAddress at);
  SocketAddress local() const { return listener_->local(); }
  std::size_t connections() const { return sessions_.size(); }

  // Stops accepting, closes idle connections, lets requests under way finish. True when all did within the time;
  // else the rest has been cut, but for handlers that have not returned. Once.
  Co<bool> drain(milliseconds within);

 private:
  void accept(std::unique_ptr<Stream> stream);
  Co<void> run_session(std::unique_ptr<Stream> stream);
  Co<void> turn_away(std::unique_ptr<Stream> stream);
  template <class F>
  void for_each_session(F f);

  Clock& clock_;
  ServerOptions options_;
  HttpHandler handler_;
  std::unique_ptr<Listener> listener_;
  std::unordered_set<Session*> sessions_;
  std::size_t turning_away_ = 0;
  bool draining_ = false;
  Signal changed_;
  Scope scope_;
};

// Fault::busy: the port is in use. Everything given by reference must outlive the server.
Result<std::unique_ptr<Server>> serve(Net& net, Executor& executor, Clock& clock, SocketAddress at,
                                      ServerOptions options, HttpHandler handler);

}  // namespace semel::http
