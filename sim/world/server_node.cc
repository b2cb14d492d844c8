// server_node.cc: start, crash, and reading what is stored.
#include "sim/world/server_node.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/check.h"
#include "edge/sqlite/sqlite_store.h"
#include "sim/store/memory_reader.h"
#include "sim/world/take_down.h"

namespace semel::sim {
namespace {

constexpr std::uint64_t kLogPageBytes = 4'096 + 24;
constexpr std::size_t kPage = 500;

template <class Row>
std::optional<decltype(Row::key)> last_key(const std::vector<Row>& rows) {
  return rows.empty() ? std::nullopt : std::optional(rows.back().key);
}

}  // namespace

struct ServerNode::Running {
  Running(Ground& ground, Witness& witness, const WallClock& wall, std::uint32_t incarnation)
      : process(std::string(kServerProcess), ground.schedule, wall),
        net(ground.net.net_of(process, server_ip())),
        resolver(ground.net.resolver_of(process)),
        entropy(ground.draw.fork("server entropy", incarnation)),
        telemetry(std::string(kServerProcess), witness, ground.trace) {}

  Process process;
  std::unique_ptr<Net> net;
  std::unique_ptr<Resolver> resolver;
  Draw entropy;
  SimTelemetry telemetry;
  store::Store* store = nullptr;
  std::optional<app::ServerParts> parts;
  Scope scope;
  bool up = false;
};

ServerNode::ServerNode(Ground& ground, Witness& witness)
    : ground_(ground), witness_(witness), late_(ground.schedule, ground.world) {
  std::filesystem::create_directories(ground.path_of(kServerProcess));
  Draw draw = ground.draw.fork("operator key");
  const ApiKeyId id{"key_00000000000000000000000000000001"};
  const access::NewSecret secret = access::make_secret(id, draw);
  operator_key_ = secret.text;
  operator_row_ = {.id = id,
                   .secret_hash = secret.hash,
                   .role = access::Role::operator_,
                   .tenant = std::nullopt,
                   .client = "operator",
                   .event_types = std::nullopt};
}

ServerNode::~ServerNode() {
  if (running_) crash(SimDisk::Loss::nothing);
}

Process* ServerNode::process() { return running_ ? &running_->process : nullptr; }
bool ServerNode::up() const { return running_ && running_->up; }
std::size_t ServerNode::open_in_memory() const {
  return running_ && running_->parts ? running_->parts->dispatcher().counts().open : 0;
}

void ServerNode::start() {
  SEMEL_CHECK(!running_);
  wanted_.reset();
  running_ = std::make_unique<Running>(ground_, witness_, wall_, ++starts_);
  running_->scope.spawn(bring_up(*running_));
}

Result<std::unique_ptr<store::Store>> ServerNode::open_store(Running& running) {
  if (ground_.options.store == StoreKind::memory)
    return open_memory_store(rows_, secrets_, running.entropy, running.process);
  SEMEL_TRY(opened, sqlite::open_sqlite_store({.path = ground_.path_of(kServerProcess) + "semel.db",
                                               .secrets = secrets_,
                                               .entropy = running.entropy,
                                               .log_bytes_max = kLogPageBytes * ground_.options.log_pages,
                                               .checkpoint_frames = static_cast<int>(ground_.options.checkpoint_frames),
                                               .vfs = ground_.disk.vfs(),
                                               .on_fatal = [this](std::string) { want_crash(SimDisk::Loss::nothing); }},
                                              running.process, running.process));
  return std::move(opened.store);
}

Co<void> ServerNode::bring_up(Running& running) {
  Result<std::unique_ptr<store::Store>> opened = open_store(running);
  if (!opened) {
    running.telemetry.note(Level::warning, "store_not_opened", {{"note", opened.error().note}});
    want_crash(SimDisk::Loss::nothing);
    co_return;
  }
  auto doubtful = std::make_unique<DoubtfulStore>(*std::move(opened), running.process, ground_.faults, late_, witness_,
                                                  [this] { want_crash(SimDisk::Loss::nothing); });
  running.store = doubtful.get();
  witness_.known.fence = doubtful->fence();
  running.parts.emplace(app::Machine{*running.net, *running.resolver, running.process, running.process, running.entropy,
                                     secrets_, running.telemetry, egress_},
                        std::move(doubtful));
  running.parts->dispatcher().on_fatal([this](const std::string&) { want_crash(SimDisk::Loss::nothing); });
  if (std::optional<Inspection> found = inspect(Inspection::When::restarted))
    witness_.tell([&](Checker& checker) {
      checker.started(kServerProcess, running.store->fence());
      checker.inspected(*found);
    });
  const Result<void> started = co_await running.parts->start({
      .listen = {server_ip(), kServerPort},
      .master_key_origin = "the world",
      .open_for_operator = [this](engine::KeyRing& keys) -> Co<Result<void>> {
        keys.set_operator_key(operator_row_);
        co_return Result<void>{};
      },
  });
  if (!started) {
    running.telemetry.note(Level::warning, "server_not_started", {{"note", started.error().note}});
    want_crash(SimDisk::Loss::nothing);
    co_return;
  }
  running.up = true;
}

void ServerNode::crash(SimDisk::Loss loss) {
  SEMEL_CHECK(running_ != nullptr);
  late_.runs_on(nullptr);
  take_down(ground_, witness_,
            {.name = std::string(kServerProcess),
             .ip = server_ip(),
             .files = ground_.path_of(kServerProcess),
             .process = running_->process},
            loss, [this] {
              running_->scope.drop_all();
              running_.reset();
            });
}

void ServerNode::stop(std::function<void()> done) {
  SEMEL_CHECK(up());
  running_->scope.spawn(bring_down(*running_, std::move(done)));
}

Co<void> ServerNode::bring_down(Running& running, std::function<void()> done) {
  co_await running.parts->stop(milliseconds(60'000));
  done();
}

std::optional<Inspection> ServerNode::inspect(Inspection::When when) {
  SEMEL_CHECK(running_ && running_->store);
  Inspection found{.when = when, .wall = running_->process.wall()};
  bool whole = true;
  const auto take = [&]<class T>(Result<std::vector<T>> page, std::vector<T>& into) {
    whole = whole && page.has_value();
    if (!page) return false;
    std::ranges::move(*page, std::back_inserter(into));
    return page->size() == kPage;
  };
  const auto read = [&](store::StoreReader& reader) {
    const TenantKey tenant{1};
    while (take(reader.events({.tenant = tenant, .after = last_key(found.events), .limit = kPage}), found.events)) {
    }
    while (take(reader.deliveries({.tenant = tenant, .after = last_key(found.deliveries), .limit = kPage}),
                found.deliveries)) {
    }
    if (when == Inspection::When::restarted) return;
    for (const store::DeliveryView& delivery : found.deliveries) {
      Result<std::vector<store::AttemptView>> attempts = reader.attempts(delivery.key);
      whole = whole && attempts.has_value();
      if (attempts) found.attempts.emplace(delivery.key, *std::move(attempts));
    }
  };
  if (ground_.options.store == StoreKind::memory) {
    MemoryReader reader(rows_.tables());
    read(reader);
  } else {
    running_->store->start_reading(read, [](Nothing) {});
    while (running_->process.run_one(Lane::reader)) {
    }
  }
  const engine::Dispatcher::Counts counts = running_->parts->dispatcher().counts();
  found.open_in_memory = counts.open;
  found.in_flight_in_memory = counts.in_flight;
  if (!whole) return std::nullopt;
  return found;
}

}  // namespace semel::sim
