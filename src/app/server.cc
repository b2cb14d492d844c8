// server.cc: every part of the server, in the order in which each needs the ones before; destroyed in reverse.
#include "app/server.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <optional>

#include "api/api.h"
#include "app/operator_key.h"
#include "edge/net/net.h"
#include "edge/os/entropy.h"
#include "edge/os/files.h"
#include "edge/os/lanes.h"
#include "edge/os/loop.h"
#include "edge/os/signals.h"
#include "edge/secrets/sealed_secrets.h"
#include "edge/sqlite/sqlite_store.h"
#include "edge/telemetry/log.h"
#include "http/client.h"
#include "http/server.h"
#include "port/scope.h"

namespace semel::app {

namespace {

constexpr milliseconds kStopWithinAfterFailure{500};
constexpr milliseconds kLookAgain{20};
constexpr rlim_t kHandlesMax = 16'384;

// Each connection is a handle: those of clients, those to endpoints, and the idle ones.
void raise_handle_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::max(limit.rlim_cur, std::min(limit.rlim_max, kHandlesMax));
  setrlimit(RLIMIT_NOFILE, &limit);
}

StoreAge age_of(const std::string& database) {
  return ::access(database.c_str(), F_OK) == 0 ? StoreAge::existing : StoreAge::fresh;
}

// Reads that are under way refer to the coroutines that asked for them, which must not be dropped before.
void wait_for_reads(Lanes& lanes) {
  std::promise<void> reached;
  lanes.start_blocking(Lane::reader, [&] { reached.set_value(); }, [] {});
  reached.get_future().wait();
}

// What needs no waiting to be opened.
struct Edge {
  MasterKey master_key;
  std::unique_ptr<Net> net;
  std::unique_ptr<Resolver> resolver;
  egress::EgressRules egress;
};

Result<Edge> open_edge(const Config& config, Loop& loop, Random& random) {
  SEMEL_TRY(master_key, open_master_key(config.master_key, age_of(config.database), random));
  SEMEL_TRY(net, make_net(loop, {.ca_file = config.ca_file}));
  SEMEL_TRY(resolver, make_resolver(loop, {}));
  SEMEL_TRY(own, own_addresses());
  return Edge{.master_key = master_key,
              .net = std::move(net),
              .resolver = std::move(resolver),
              .egress = {.allowed = config.allowed, .own_addresses = std::move(own)}};
}

}  // namespace

class Composition {
 public:
  Composition(Loop& loop, OsEntropy& entropy, Lanes& lanes, Edge edge, const Config& config, Console console)
      : config_(config),
        console_(std::move(console)),
        loop_(loop),
        entropy_(entropy),
        lanes_(lanes),
        edge_(std::move(edge)),
        log_(make_log({.least = config.log_level})),
        secrets_(edge_.master_key, entropy_),
        exchange_(*edge_.net, *edge_.resolver, loop_, edge_.egress) {}

  Result<void> run() {
    SEMEL_TRY(opened, sqlite::open_sqlite_store({.path = config_.database,
                                                 .secrets = secrets_,
                                                 .entropy = entropy_,
                                                 .vfs = {},
                                                 .on_fatal = [this](std::string note) { fail_with(std::move(note)); }},
                                                lanes_, loop_));
    assemble(std::move(opened.store));
    const StopSignals signals(loop_, [this](int) { stop_requested(); });
    scope_.spawn(start());
    loop_.run();
    wait_for_reads(lanes_);
    return std::move(result_);
  }

 private:
  struct Parts {
    Parts(Composition& c, std::unique_ptr<store::Store> opened)
        : store(std::move(opened)),
          keys(*store, c.loop_, c.entropy_),
          endpoints(*store, c.secrets_, c.loop_, c.entropy_),
          dispatcher({*store, c.exchange_, c.loop_, c.loop_, c.entropy_, *c.log_}, endpoints),
          intake(*store, dispatcher, tenants, c.loop_, c.entropy_),
          api({*store, tenants, keys, endpoints, dispatcher, intake, c.edge_.egress, c.entropy_}) {}

    std::unique_ptr<store::Store> store;
    engine::Tenants tenants;
    engine::KeyRing keys;
    engine::EndpointBook endpoints;
    engine::Dispatcher dispatcher;
    engine::Intake intake;
    api::Api api;
    std::unique_ptr<http::Server> listener;
  };

  void assemble(std::unique_ptr<store::Store> store) {
    parts_.emplace(*this, std::move(store));
    parts_->dispatcher.on_fatal([this](std::string note) { fail_with(std::move(note)); });
  }

  Co<void> start() {
    Result<void> started = co_await load_and_listen();
    if (started) co_return;
    result_ = std::move(started);
    loop_.stop();
  }

  Co<Result<void>> load_and_listen() {
    if (auto loaded = co_await parts_->tenants.load(*parts_->store, secrets_); !loaded)
      co_return std::unexpected(naming_the_key(loaded.error()));
    if (auto loaded = co_await parts_->keys.load(); !loaded) co_return loaded;
    if (auto loaded = co_await parts_->endpoints.load(); !loaded) co_return loaded;
    if (auto provided = co_await open_for_operator(); !provided) co_return provided;
    if (auto started = co_await parts_->dispatcher.start(); !started) co_return started;
    auto listener = http::serve(*edge_.net, loop_, loop_, config_.listen, {},
                                [this](HttpRequest request) { return parts_->api.handle(std::move(request)); });
    if (!listener) co_return std::unexpected(listener.error());
    parts_->listener = *std::move(listener);
    console_.say("listening on http://" + egress::format_socket_address(parts_->listener->local()));
    co_return Result<void>{};
  }

  // What does not open with the first secret of a store is most likely the wrong key.
  Error naming_the_key(Error error) const {
    if (error.fault == Fault::corrupt) error.note += "; the master key was read from " + config_.master_key.path;
    return error;
  }

  Co<Result<void>> open_for_operator() {
    if (config_.admin_key) {
      Result<access::ApiKey> key = read_admin_key(*config_.admin_key);
      if (!key) co_return std::unexpected(key.error());
      parts_->keys.set_operator_key(*std::move(key));
      co_return Result<void>{};
    }
    co_return co_await provide_operator_key(
        parts_->keys, {.watched = console_.watched, .file = config_.database + ".admin-key", .say = console_.say});
  }

  void stop_requested() {
    if (std::exchange(stopping_, true) || !parts_->listener) return loop_.stop();
    log_->note(Level::info, "server_stopping", {});
    scope_.spawn(stop(kStopWithin));
  }

  // The store tells of its end, and so does every commit that saw it: the first one counts.
  void fail_with(std::string note) {
    if (std::exchange(failed_, true)) return;
    log_->note(Level::error, "store_lost", {{"note", note}});
    result_ = fail(Fault::corrupt, std::move(note));
    if (std::exchange(stopping_, true) || !parts_ || !parts_->listener) return loop_.stop();
    scope_.spawn(stop(kStopWithinAfterFailure));
  }

  Co<void> stop(milliseconds within) {
    const MonotonicTime end = loop_.now() + within;
    parts_->dispatcher.drain();
    co_await parts_->listener->drain(within);
    while (parts_->dispatcher.counts().in_flight > 0 && loop_.now() < end)
      co_await sleep_until(loop_, std::min(end, loop_.now() + kLookAgain));
    loop_.stop();
  }

  const Config& config_;
  Console console_;
  Loop& loop_;
  OsEntropy& entropy_;
  Lanes& lanes_;
  Edge edge_;
  std::unique_ptr<Telemetry> log_;
  SealedSecrets secrets_;
  http::HttpExchange exchange_;
  std::optional<Parts> parts_;
  Scope scope_;
  bool stopping_ = false;
  bool failed_ = false;
  Result<void> result_;
};

Result<void> run_server(const Config& config, Console console) {
  ignore_write_signals();
  keep_new_files_private();
  raise_handle_limit();
  Loop loop;
  OsEntropy entropy;
  ThreadLanes lanes(loop);
  SEMEL_TRY(edge, open_edge(config, loop, entropy));
  Composition composition(loop, entropy, lanes, std::move(edge), config, std::move(console));
  return composition.run();
}

}  // namespace semel::app
