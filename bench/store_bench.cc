// store_bench.cc: what one delivery's whole life costs in the SQLite store: event and delivery inserted, attempt
// started, attempt settled, in groups as they form under load. CPU time covers the decision and the envelope, not JSON
// parsing.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "core/endpoint/config.h"
#include "edge/sqlite/inline_lanes.h"
#include "edge/sqlite/sqlite_store.h"
#include "port/testing/start_of.h"

namespace semel {
namespace {

constexpr TenantKey kTenant{1};
constexpr WallTime kNow{1'796'024'751'000};

class PlainSecrets final : public Secrets {
 public:
  std::string seal(std::string_view plain, std::string_view) override { return std::string(plain); }
  Result<std::string> unseal(std::string_view sealed, std::string_view) override { return std::string(sealed); }
};

struct Options {
  std::string path = "/tmp/semel-store-bench.db";
  int deliveries = 100'000;
  int group = 64;
  int ordering_keys = 0;  // 0: events without one
  std::size_t data_bytes = 1024;
};

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

class Bench {
 public:
  explicit Bench(const Options& options) : options_(options), data_('"' + std::string(options.data_bytes, 'x') + '"') {
    for (const char* suffix : {"", "-wal", "-shm", ".lock"}) std::filesystem::remove(options.path + suffix);
    auto opened = sqlite::open_sqlite_store(
        {.path = options.path, .secrets = secrets_, .entropy = random_, .on_fatal = {}}, lanes_, lanes_);
    if (!opened) throw std::runtime_error(opened.error().note);
    store_ = std::move(opened->store);
    endpoint::Config config{.url = egress::read_url("https://shop.example/hook").value()};
    config.ordering = endpoint::Ordering::per_key;
    commit({store::CreateEndpoint{kTenant,
                                  {"ep_bench"},
                                  endpoint::config_json(config),
                                  "sealed",
                                  kNow,
                                  store::CreateEndpoint::FirstSubscription{{"sub_bench"}, {"*"}}}});
  }
  ~Bench() { lanes_.drain(); }

  struct Step {
    double cpu_us[3];
    double seconds;
  };
  Step run() {
    Step total{};
    const auto begin = std::chrono::steady_clock::now();
    for (int done = 0; done < options_.deliveries; done += options_.group) {
      std::vector<store::WriteSet> intakes;
      for (int i = 0; i < options_.group; ++i) intakes.emplace_back(next_intake());
      std::vector<store::CommitAnswer> answers = timed(total.cpu_us[0], std::move(intakes));
      std::vector<store::Delivery> fresh;
      for (store::CommitAnswer& answer : answers) {
        auto& intake = std::get<store::IntakeAnswer>(std::get<store::Committed>(answer).made);
        fresh.push_back(std::get<store::Taken>(intake.items.at(0)).fresh.at(0));
      }
      std::vector<store::WriteSet> starts;
      for (store::Delivery& delivery : fresh) starts.emplace_back(start(delivery));
      timed(total.cpu_us[1], std::move(starts));
      std::vector<store::WriteSet> settles;
      for (store::Delivery& delivery : fresh) settles.emplace_back(settle(delivery));
      timed(total.cpu_us[2], std::move(settles));
    }
    total.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    for (double& us : total.cpu_us) us /= options_.deliveries;
    return total;
  }

 private:
  std::vector<store::CommitAnswer> commit(std::vector<store::WriteSet> group) {
    std::vector<store::CommitAnswer> answers(group.size());
    for (std::size_t i = 0; i < group.size(); ++i)
      store_->start_commit(std::move(group[i]),
                           [&answers, i](store::CommitAnswer answer) { answers[i] = std::move(answer); });
    lanes_.drain();
    for (const store::CommitAnswer& answer : answers)
      if (!std::holds_alternative<store::Committed>(answer)) throw std::runtime_error("a write-set was not committed");
    return answers;
  }
  std::vector<store::CommitAnswer> timed(double& us, std::vector<store::WriteSet> group) {
    const double before = cpu_seconds();
    std::vector<store::CommitAnswer> answers = commit(std::move(group));
    us += (cpu_seconds() - before) * 1e6;
    return answers;
  }

  store::Intake next_intake() {
    ++made_;
    store::Intake intake{.tenant = kTenant, .client = "bench", .items = {}, .batch_key = {}};
    intake::Item item{.submission = {.type = "shipment.sent", .data = data_},
                      .fresh_id = {make_id("evt_", WallTime{kNow.ms + made_ / 20}, random_)},
                      .fingerprint = {},
                      .key = {},
                      .accepted_at = kNow};
    if (options_.ordering_keys > 0)
      item.submission.ordering_key = fmt::format("order-{}", made_ % options_.ordering_keys);
    intake.items.push_back(std::move(item));
    return intake;
  }
  store::StartAttempt start(store::Delivery& delivery) {
    store::StartAttempt start = store::start_of(delivery, store_->fence(), Version{1}, kNow);
    delivery.record = start.record;
    ++delivery.version.value;
    return start;
  }
  store::SettleAttempt settle(const store::Delivery& delivery) {
    delivery::Record record = delivery.record;
    record.first_delivered_at = kNow;
    return {.tenant = kTenant,
            .fence = store_->fence(),
            .endpoint = delivery.endpoint,
            .delivery = delivery.key,
            .version = delivery.version,
            .attempt = 1,
            .outcome = {.at = kNow, .result = "delivered", .failure = {}, .http_status = 200, .reason = ""},
            .state = delivery::Delivered{kNow},
            .record = record,
            .endpoint_wait = {}};
  }

  Options options_;
  std::string data_;
  PlainSecrets secrets_;
  SeededRandom random_{1};
  sqlite::InlineLanes lanes_;
  std::unique_ptr<store::Store> store_;
  std::int64_t made_ = 0;
};

void run(const Options& options) {
  Bench bench(options);
  const Bench::Step step = bench.run();
  const double total = step.cpu_us[0] + step.cpu_us[1] + step.cpu_us[2];
  fmt::print(
      "{} deliveries in groups of {}: {:.1f} us CPU each (intake {:.1f}, start {:.1f}, settle {:.1f}), {:.0f}/s\n",
      options.deliveries, options.group, total, step.cpu_us[0], step.cpu_us[1], step.cpu_us[2],
      options.deliveries / step.seconds);
}

}  // namespace
}  // namespace semel

int main(int argc, char** argv) {
  semel::Options options;
  CLI::App app{"What a delivery's whole life costs in the SQLite store"};
  app.add_option("--path", options.path, "The store's file, made anew");
  app.add_option("--deliveries", options.deliveries);
  app.add_option("--group", options.group, "Write-sets committed together");
  app.add_option("--ordering-keys", options.ordering_keys, "0: events without an ordering key");
  app.add_option("--data-bytes", options.data_bytes);
  CLI11_PARSE(app, argc, argv);
  semel::run(options);
  return 0;
}
