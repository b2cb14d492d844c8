// server.cc: the server on the real machine: loop, sockets, file, log and signals.
#include "app/server.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <optional>

#include "app/assembly/server_parts.h"
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
#include "port/scope.h"

namespace semel::app {

namespace {

constexpr milliseconds kStopWithinAfterFailure{500};
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
        secrets_(edge_.master_key, entropy_) {}

  Result<void> run() {
    SEMEL_TRY(opened, sqlite::open_sqlite_store({.path = config_.database,
                                                 .secrets = secrets_,
                                                 .entropy = entropy_,
                                                 .vfs = {},
                                                 .on_fatal = [this](std::string note) { fail_with(std::move(note)); }},
                                                lanes_, loop_));
    server_.emplace(Machine{*edge_.net, *edge_.resolver, loop_, loop_, entropy_, secrets_, *log_, edge_.egress},
                    std::move(opened.store));
    server_->dispatcher().on_fatal([this](std::string note) { fail_with(std::move(note)); });
    const StopSignals signals(loop_, [this](int) { stop_requested(); });
    scope_.spawn(start());
    loop_.run();
    wait_for_reads(lanes_);
    return std::move(result_);
  }

 private:
  Co<void> start() {
    Result<void> started =
        co_await server_->start({.listen = config_.listen,
                                 .master_key_origin = config_.master_key.path,
                                 .open_for_operator = [this](auto& keys) { return open_for_operator(keys); }});
    if (started) {
      console_.say("listening on http://" + egress::format_socket_address(server_->local()));
      co_return;
    }
    result_ = std::move(started);
    loop_.stop();
  }

  Co<Result<void>> open_for_operator(engine::KeyRing& keys) {
    if (config_.admin_key) {
      Result<access::ApiKey> key = read_admin_key(*config_.admin_key);
      if (!key) co_return std::unexpected(key.error());
      keys.set_operator_key(*std::move(key));
      co_return Result<void>{};
    }
    co_return co_await provide_operator_key(
        keys, {.watched = console_.watched, .file = config_.database + ".admin-key", .say = console_.say});
  }

  void stop_requested() {
    if (std::exchange(stopping_, true) || !server_->listening()) return loop_.stop();
    log_->note(Level::info, "server_stopping", {});
    scope_.spawn(stop(kStopWithin));
  }

  // The store tells of its end, and so does every commit that saw it: the first one counts.
  void fail_with(std::string note) {
    if (std::exchange(failed_, true)) return;
    log_->note(Level::error, "store_lost", {{"note", note}});
    result_ = fail(Fault::corrupt, std::move(note));
    if (std::exchange(stopping_, true) || !server_ || !server_->listening()) return loop_.stop();
    scope_.spawn(stop(kStopWithinAfterFailure));
  }

  Co<void> stop(milliseconds within) {
    co_await server_->stop(within);
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
  std::optional<ServerParts> server_;
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
