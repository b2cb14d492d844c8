// world.cc: wires the engine as src/app does, with a clock, lanes and receivers of the test's own.
#include "behaviour/world.h"

#include <stdexcept>

#include "edge/secrets/sealed_secrets.h"
#include "edge/sqlite/sqlite_store.h"
#include "port/testing/prompt_lanes.h"

namespace semel::behaviour {
namespace {

SealedSecrets fixed_secrets(Entropy& entropy) { return SealedSecrets(MasterKey({}), entropy); }

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().note);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace

struct World::Running {
  Running(http::testing::MemoryClock& clock, Random& random, const std::string& path, const std::string& disk)
      : lanes(clock),
        secrets(fixed_secrets(random)),
        store(
            must(sqlite::open_sqlite_store(
                     {.path = path, .secrets = secrets, .entropy = random, .vfs = disk, .on_fatal = {}}, lanes, clock))
                .store),
        exchange(clock),
        endpoints(*store, secrets, clock, random),
        dispatcher({.store = *store,
                    .exchange = exchange,
                    .executor = clock,
                    .clock = clock,
                    .entropy = random,
                    .telemetry = telemetry},
                   endpoints),
        intake(*store, dispatcher, tenants, clock, random) {}

  testing_support::PromptLanes lanes;
  SealedSecrets secrets;
  std::unique_ptr<store::Store> store;
  NullTelemetry telemetry;
  ScriptedExchange exchange;
  engine::Tenants tenants;
  engine::EndpointBook endpoints;
  engine::Dispatcher dispatcher;
  engine::Intake intake;

  Co<Result<void>> start() {
    Result<void> loaded = co_await tenants.load(*store, secrets);
    if (loaded) loaded = co_await endpoints.load();
    if (loaded) loaded = co_await dispatcher.start();
    co_return loaded;
  }
  TenantKey tenant() const { return tenants.find("default")->key; }
};

World::World(std::string folder) : folder_(std::move(folder)) { start(); }
World::~World() = default;

void World::start() {
  running_ = std::make_unique<Running>(clock_, random_, folder_ + "/semel.db", disk_.name());
  must(run(running_->start()));
  clock_.settle();
}

void World::restart() {
  clock_.drop_all();
  running_.reset();
  clock_.drop_all();
  start();
}

template <class T>
T World::run(Co<T> body) {
  return clock_.run(std::move(body));
}

EndpointId World::add_endpoint(const std::string& config_json) {
  const JsonDocument document = must(parse_json(config_json));
  auto read = endpoint::read_new_endpoint(document.root(), {});
  if (!read) throw std::runtime_error(read.error().code + " " + read.error().note);
  engine::MadeEndpoint made = must(run(running_->endpoints.create(running_->tenant(), *std::move(read))));
  running_->dispatcher.endpoint_added(running_->endpoints.find(made.row.key));
  return made.row.id;
}

void World::remove_endpoint(const EndpointId& id) {
  const EndpointKey key = must(run(running_->endpoints.remove(running_->tenant(), id)));
  running_->dispatcher.endpoint_removed(key);
}

store::IntakeAnswer World::send(const std::string& event_json) {
  const JsonDocument document = must(parse_json(event_json));
  auto submission = event::read_submission(document.root());
  if (!submission) throw std::runtime_error(submission.error().code + " " + submission.error().note);
  engine::IntakeRequest request{
      .tenant = running_->tenant(), .client = "script", .items = {}, .key = {}, .batch = false};
  request.items.push_back({*std::move(submission), running_->intake.fingerprint(running_->tenant(), document.root())});
  engine::IntakeResult result = run(running_->intake.submit(std::move(request)));
  return std::get<store::IntakeAnswer>(std::move(result));
}

engine::ReplayOutcome World::replay(const DeliveryId& id) {
  return must(run(running_->dispatcher.replay(running_->tenant(), id)));
}

store::DeliveryView World::show(const DeliveryId& id) {
  const TenantKey tenant = running_->tenant();
  auto view =
      must(run(store::read(*running_->store, [=](store::StoreReader& reader) { return reader.delivery(tenant, id); })));
  if (!view) throw std::runtime_error("no such delivery");
  return *view;
}

std::vector<store::AttemptView> World::attempts(const DeliveryId& id) {
  const DeliveryKey key = show(id).key;
  return must(run(store::read(*running_->store, [=](store::StoreReader& reader) { return reader.attempts(key); })));
}

std::deque<OpenRequest>& World::requests() { return running_->exchange.open; }

void World::answer(Outcome outcome) {
  OpenRequest request = std::move(requests().front());
  requests().pop_front();
  request.done(std::move(outcome));
  clock_.settle();
}

}  // namespace semel::behaviour
