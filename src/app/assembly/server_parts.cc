// server_parts.cc: every part, in the order in which each needs the ones before; destroyed in reverse.
#include "app/assembly/server_parts.h"

#include <algorithm>
#include <utility>

namespace semel::app {
namespace {

constexpr milliseconds kLookAgain{20};

// What does not open with the first secret of a store is most likely the wrong key.
Error naming_the_key(Error error, const std::string& origin) {
  if (error.fault == Fault::corrupt) error.note += "; the master key was read from " + origin;
  return error;
}

}  // namespace

ServerParts::ServerParts(Machine machine, std::unique_ptr<store::Store> store)
    : machine_(machine),
      store_(std::move(store)),
      exchange_(machine.net, machine.resolver, machine.clock, machine.egress),
      keys_(*store_, machine.clock, machine.entropy),
      endpoints_(*store_, machine.secrets, machine.clock, machine.entropy),
      dispatcher_({*store_, exchange_, machine.executor, machine.clock, machine.entropy, machine.telemetry},
                  endpoints_),
      intake_(*store_, dispatcher_, tenants_, machine.clock, machine.entropy),
      api_({*store_, tenants_, keys_, endpoints_, dispatcher_, intake_, machine.egress, machine.entropy}) {}

Co<Result<void>> ServerParts::start(StartOptions options) {
  if (auto loaded = co_await tenants_.load(*store_, machine_.secrets); !loaded)
    co_return std::unexpected(naming_the_key(loaded.error(), options.master_key_origin));
  if (auto loaded = co_await keys_.load(); !loaded) co_return loaded;
  if (auto loaded = co_await endpoints_.load(); !loaded) co_return loaded;
  if (auto opened = co_await options.open_for_operator(keys_); !opened) co_return opened;
  if (auto started = co_await dispatcher_.start(); !started) co_return started;
  auto listener = http::serve(machine_.net, machine_.executor, machine_.clock, options.listen, {},
                              [this](HttpRequest request) { return api_.handle(std::move(request)); });
  if (!listener) co_return std::unexpected(listener.error());
  listener_ = *std::move(listener);
  co_return Result<void>{};
}

Co<void> ServerParts::stop(milliseconds within) {
  const MonotonicTime end = machine_.clock.now() + within;
  dispatcher_.drain();
  co_await listener_->drain(within);
  while (dispatcher_.counts().in_flight > 0 && machine_.clock.now() < end)
    co_await sleep_until(machine_.clock, std::min(end, machine_.clock.now() + kLookAgain));
}

}  // namespace semel::app
