// server.cc: accepting, turning away, draining.
#include "http/server.h"

#include <utility>
#include <vector>

#include "base/planted.h"
#include "base/probe.h"

namespace semel::http {
namespace {

constexpr std::size_t kTurningAwayMax = 64;

}  // namespace

Result<void> Server::listen(Net& net, SocketAddress at) {
  SEMEL_TRY(listener, net.listen(at, [this](std::unique_ptr<Stream> stream) { accept(std::move(stream)); }));
  listener_ = std::move(listener);
  return {};
}

Co<bool> Server::drain(milliseconds within) {
  draining_ = true;
  listener_.reset();
  const MonotonicTime end = clock_.now() + within;
  const TimerId timer = clock_.start_timer(end, [this] { changed_.notify(); });
  for_each_session([](Session& session) { session.finish(); });
  while (!sessions_.empty() && clock_.now() < end) co_await changed_.wait();
  clock_.stop_timer(timer);
  draining_ = false;
  const bool finished = sessions_.empty();
  for_each_session([](Session& session) { session.cut(); });
  co_return finished;
}

void Server::accept(std::unique_ptr<Stream> stream) {
  if (sessions_.size() < options_.connections_max || planted(Planted::connections_without_bound)) {
    scope_.spawn(run_session(std::move(stream)));
  } else if (turning_away_ < kTurningAwayMax) {
    probe::reached<"server.turns_away">();
    scope_.spawn(turn_away(std::move(stream)));
  }
}

Co<void> Server::run_session(std::unique_ptr<Stream> stream) {
  Session session(std::move(stream), clock_, options_.session, handler_);
  sessions_.insert(&session);
  co_await session.run();
  sessions_.erase(&session);
  if (draining_) changed_.notify();
}

Co<void> Server::turn_away(std::unique_ptr<Stream> stream) {
  ++turning_away_;
  Session session(std::move(stream), clock_, options_.session, handler_);
  co_await session.turn_away();
  --turning_away_;
}

// A session may end inside `f`.
template <class F>
void Server::for_each_session(F f) {
  for (Session* session : std::vector(sessions_.begin(), sessions_.end()))
    if (sessions_.contains(session)) f(*session);
}

Result<std::unique_ptr<Server>> serve(Net& net, Executor& executor, Clock& clock, SocketAddress at,
                                      ServerOptions options, HttpHandler handler) {
  auto server = std::make_unique<Server>(executor, clock, options, std::move(handler));
  SEMEL_TRY_VOID(server->listen(net, at));
  return server;
}

}  // namespace semel::http
