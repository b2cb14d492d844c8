// world.cc: who is there, when what breaks, and the phases.
#include "sim/world/world.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "base/check.h"
#include "sim/net/hostile.h"
#include "sim/workload/hand_signer.h"
#include "sim/workload/operator.h"
#include "sim/workload/producers.h"
#include "sim/workload/rude_caller.h"
#include "sim/workload/stage.h"
#include "sim/world/hostile_node.h"
#include "sim/world/receiver_node.h"
#include "sim/world/server_node.h"

namespace semel::sim {
namespace {

constexpr std::uint32_t kFirstHostile = 50;  // of the receivers' numbers
constexpr PerMillion kWriterInCheckpoint = percent(20);
constexpr milliseconds kWaitsEnd = std::chrono::minutes(130);  // the longest wait an endpoint can have, twice
constexpr milliseconds kHangs{900};
constexpr milliseconds kProbeArrives = std::chrono::minutes(5);

class World {
 public:
  World(const Options& options, const Watching& watching)
      : options_(options),
        ground_(options, witness_, watching.print, disk_options()),
        server_(ground_, witness_),
        draw_(ground_.draw.fork("director")),
        tell_struck_(watching.struck) {
    witness_.chart.keep(watching.chart_lines);
    witness_.look_at_clock = [this] { tell_time(); };
    ground_.faults.on_strike([this](const Struck& struck) { struck_by(struck); });
    for (std::uint32_t i = 0; i < options.honest; ++i)
      receivers_.push_back(std::make_unique<ReceiverNode>(ground_, witness_, i + 1));
    for (std::uint32_t i = 0; i < options.hostile; ++i)
      hostile_.push_back(std::make_unique<HostileNode>(ground_, kFirstHostile + i));
    stage_.emplace(ground_, witness_, server_);
    operator_.emplace(*stage_);
    producers_.emplace(*stage_);
    if (options.direct) hand_signer_.emplace(*stage_, *receivers_.front());
    if (options.rude) rude_caller_.emplace(*stage_);
    let_known();
  }
  ~World() { direction_.drop_all(); }

  WorldResult run() {
    start_all();
    direction_.spawn(direct());
    while (!finished_ && !witness_.violation()) {
      if (!ground_.schedule.step(end_)) {
        witness_.violate("I-QUIESCE", "not settled in time: " + where_it_stands());
        break;
      }
      tell_time();
      bury();
    }
    return result();
  }

 private:
  // ---- the machines ----

  SimDisk::Options disk_options() {
    return {.name = "sim",
            .crash_wanted = [this](std::string_view path) { crash_in_disk(path); },
            .between_checkpoint_steps =
                [this](std::string_view path) {
                  Process* process = server_.process();
                  if (process && path.starts_with(ground_.path_of("server")) && draw_.happens(kWriterInCheckpoint))
                    process->run_one(Lane::writer);
                }};
  }

  void crash_in_disk(std::string_view path) {
    for (const auto& receiver : receivers_)
      if (path.starts_with(receiver->files())) return receiver->want_crash(draw_loss());
    server_.want_crash(draw_loss());
  }

  SimDisk::Loss draw_loss() {
    return ground_.faults.strike(FaultClass::power_loss) ? SimDisk::Loss::unsynced : SimDisk::Loss::nothing;
  }

  void start_all() {
    server_.start();
    for (const auto& receiver : receivers_) receiver->start();
    for (const auto& hostile : hostile_) hostile->start();
    later(ground_.draw.fork("when server crashes"), options_.crash_every, [this] {
      if (ground_.faults.strike(FaultClass::crash_server)) server_.want_crash(draw_loss());
    });
    later(ground_.draw.fork("when receivers crash"), options_.crash_every, [this] {
      ReceiverNode& receiver = *receivers_[draw_.below(receivers_.size())];
      if (ground_.faults.strike(FaultClass::crash_receiver)) receiver.want_crash(draw_loss());
    });
    later(ground_.draw.fork("when processes stall"), options_.crash_every, [this] {
      std::optional<Draw> stall = ground_.faults.strike(FaultClass::stall);
      if (!stall) return;
      Process* process =
          stall->happens(percent(60)) ? server_.process() : receivers_[stall->below(receivers_.size())]->process();
      if (process) process->stall(ground_.schedule.now() + milliseconds(stall->skewed(100, 10)));
    });
    later(ground_.draw.fork("when the clock jumps"), options_.crash_every / 4, [this] {
      std::optional<Draw> step = ground_.faults.strike(FaultClass::clock_step);
      if (step) step_clock(milliseconds(step->skewed(500, 12) * (step->happens(percent(50)) ? 1 : -1)));
    });
    later(ground_.draw.fork("when effects are read"), options_.duration / 8, [this] { tell_effects(); });
  }

  // `f` at drawn times, about `mean` apart, while faults act.
  void later(Draw draw, milliseconds mean, std::function<void()> f) {
    const milliseconds wait(draw.between(1, 2 * std::max<std::int64_t>(1, mean.count())));
    draw.next();
    ground_.schedule.at(ground_.world, ground_.schedule.now() + wait, [this, draw, mean, f = std::move(f)]() mutable {
      if (ground_.faults.healed()) return;
      f();
      later(draw, mean, std::move(f));
    });
  }

  void step_clock(milliseconds by) {
    server_.wall_clock().offset += by;
    witness_.known.wall_steps += std::chrono::abs(by);
    witness_.known.wall_stepped_at.push_back(ground_.schedule.now());
    ground_.trace.note("server", [&] { return fmt::format("its clock jumps by {} ms", by.count()); });
  }

  // Destroys who wanted to die in this turn, and has them start again later.
  void bury() {
    if (const auto loss = server_.take_wanted(); loss && server_.running()) {
      if (server_.up()) ++crashes_;
      server_.crash(*loss);
      restart_later([this] {
        if (!server_.running()) server_.start();
      });
    }
    if (server_.up() && server_.starts() != last_up_) {
      last_up_ = server_.starts();
      if (last_up_ > 1) ++recoveries_;
    }
    for (const auto& receiver : receivers_)
      if (const auto loss = receiver->take_wanted(); loss && receiver->running()) {
        ++crashes_;
        receiver->crash(*loss);
        restart_later([&receiver = *receiver] {
          if (!receiver.running()) receiver.start();
        });
      }
  }

  void restart_later(std::move_only_function<void()> start) {
    const milliseconds wait(ground_.faults.healed() ? 100 : draw_.skewed(10, 13));
    ground_.schedule.at(ground_.world, ground_.schedule.now() + wait, std::move(start));
  }

  // ---- what the checkers know ----

  void let_known() {
    for (const auto& receiver : receivers_)
      witness_.known.receivers.insert({receiver_ip(receiver->number()), kReceiverPort});
    for (const auto& hostile : hostile_)
      witness_.known.receivers.insert({receiver_ip(hostile->number()), kReceiverPort});
    witness_.known.api_keys.push_back(server_.operator_key());
  }

  void tell_time() {
    witness_.known.now = ground_.schedule.now();
    witness_.known.wall = server_.wall_clock().at(ground_.schedule.now());
  }

  void tell_effects() {
    for (const auto& receiver : receivers_) receiver->tell_effects();
  }

  void struck_by(const Struck& struck) {
    if (tell_struck_) tell_struck_(struck);
    witness_.busy();
    ground_.trace.note("fault", [&] { return fmt::format("{} #{}", name_of(struck.fault), struck.number); });
    if (witness_.chart.kept())
      witness_.chart.add(ground_.schedule.now(), "fault", "",
                         fmt::format("{} #{}", name_of(struck.fault), struck.number));
  }

  bool inspect(Inspection::When when) {
    if (!server_.up()) return false;
    tell_effects();
    std::optional<Inspection> found = server_.inspect(when);
    if (!found) return false;
    for (const auto& receiver : receivers_) {
      std::optional<ReceiverState> state = receiver->state();
      if (!state) return false;
      found->receivers.push_back(*std::move(state));
    }
    witness_.tell([&](Checker& checker) { checker.inspected(*found); });
    return true;
  }

  std::string where_it_stands() {
    return fmt::format("{} open, producers {}, phase {}", server_.open_in_memory(),
                       producers_->done() ? "done" : "waiting", phase_);
  }

  // ---- the phases ----

  EndpointPlan plan_for(const ReceiverNode& receiver) {
    EndpointPlan plan{.host = receiver.host(),
                      .receiver = receiver.name(),
                      .secret = receiver.secret(),
                      .source = std::string(kShopSource)};
    // What finds no room behind the flood has to come again soon.
    plan.brisk = options_.flood;
    if (options_.filtered && draw_.happens(percent(60))) {
      constexpr std::string_view kFilters[] = {"shipment.*", "shipment.moved", "transfer.*", "invoice.paid"};
      plan.event_types = {std::string(kFilters[draw_.below(4)]), "probe.*"};
    }
    return plan;
  }
  EndpointPlan plan_for(const HostileNode& hostile) {
    return {.host = receiver_host(hostile.number()),
            .receiver = hostile.name(),
            .kind = ReceiverKind::hostile,
            .event_types = {"*"}};
  }

  Co<void> direct() {
    phase_ = "beginning";
    for (const auto& receiver : receivers_) {
      co_await operator_->make_endpoint(plan_for(*receiver));
      if (options_.twins && receiver == receivers_.front()) co_await operator_->make_endpoint(plan_for(*receiver));
    }
    for (const auto& hostile : hostile_)
      hostile_endpoints_.push_back(co_await operator_->make_endpoint(plan_for(*hostile)));
    phase_ = "faults";
    producers_->start();
    operator_->start_looking();
    if (hand_signer_) hand_signer_->start();
    if (rude_caller_) rude_caller_->start();
    if (options_.replays) operator_->start_meddling();
    if (options_.resubscribes) operator_->start_resubscribing();
    co_await change_endpoints();
    co_await operator_->host().sleep(options_.duration / 2);
    co_await heal();
    co_await settle();
    co_await end();
  }

  // The first half.
  Co<void> change_endpoints() {
    const MonotonicTime half = ground_.schedule.now() + options_.duration / 2;
    co_await operator_->host().sleep(options_.duration / 4);
    if (options_.late_subscriber) co_await operator_->make_endpoint(plan_for(*receivers_.back()));
    if (options_.come_and_go)
      for (std::int64_t times = draw_.between(1, 3); times > 0; --times) co_await come_and_go();
    if (ground_.schedule.now() < half)
      co_await operator_->host().sleep(std::chrono::ceil<milliseconds>(half - ground_.schedule.now()));
  }

  Co<void> come_and_go() {
    EndpointPlan plan = plan_for(*receivers_.back());
    plan.event_types = {"*"};
    const EndpointId id = co_await operator_->make_endpoint(std::move(plan));
    co_await operator_->host().sleep(options_.duration / 12);
    producers_->announce("farewell.now", draw_.between(1, 12));  // on their way while their endpoint goes
    co_await operator_->host().sleep(milliseconds(draw_.between(0, 60)));
    co_await operator_->delete_endpoint(id);
  }

  Co<void> heal() {
    phase_ = "healing";
    stage_->faults_over = true;
    ground_.faults.heal();
    ground_.net.heal();
    ground_.disk.heal();
    step_clock(-server_.wall_clock().offset);
    witness_.known.healed = true;
    witness_.tell([](Checker& checker) { checker.healed(); });
    end_ = ground_.schedule.now() + kSettlesWithin;
    while (!server_.up() || !producers_->done() || (rude_caller_ && !rude_caller_->done()))
      co_await operator_->host().sleep(milliseconds(500));
    while (!inspect(Inspection::When::healed)) co_await operator_->host().sleep(milliseconds(500));
    phase_ = "probing";
    co_await operator_->host().sleep(kWaitsEnd);
    // While who can hang hangs, the next event must leave at once for everybody else.
    producers_->announce("hang.now");
    co_await operator_->host().sleep(kHangs);
    producers_->announce("probe.isolation");
    co_await operator_->host().sleep(kProbeArrives);
    for (std::size_t i = 0; i < hostile_.size(); ++i) {
      hostile_[i]->reform();
      if (draw_.happens(percent(50))) co_await operator_->delete_endpoint(hostile_endpoints_[i]);
    }
  }

  Co<void> settle() {
    phase_ = "settling";
    while (true) {
      const std::optional<std::size_t> dead = co_await operator_->replay_lowest_dead();
      if (dead == 0 && server_.open_in_memory() == 0 && producers_->done()) co_return;
      co_await operator_->host().sleep(dead == 0 ? std::chrono::minutes(30) : milliseconds(20'000));
    }
  }

  Co<void> end() {
    phase_ = "ending";
    while (!inspect(Inspection::When::end)) co_await operator_->host().sleep(milliseconds(500));
    ground_.disk.for_each_file("", [&](std::string_view path, std::string_view bytes) {
      if (path.starts_with(ground_.path_of("server")))
        witness_.tell([&](Checker& checker) { checker.bytes_stored(path, bytes); });
    });
    if (!ground_.disk.broken_rule().empty()) witness_.violate("I-CHECKPOINT-START", ground_.disk.broken_rule());
    co_await call<Nothing>([this](Done<Nothing> done) {
      auto told = std::make_shared<Done<Nothing>>(std::move(done));
      server_.stop([told] { (*told)(Nothing{}); });
    });
    finished_ = true;
  }

  WorldResult result() {
    return {.violation = witness_.violation(),
            .hash = ground_.trace.hash(),
            .simulated_ms = ground_.schedule.now().ns / 1'000'000,
            .busy_hours = witness_.busy_hours(),
            .crashes = crashes_,
            .recoveries = recoveries_,
            .steps = ground_.schedule.steps(),
            .events = stage_->last_event,
            .struck = ground_.faults.struck(),
            .chart = witness_.chart.kept() ? witness_.chart.draw() : std::string()};
  }

  const Options options_;
  Witness witness_;
  Ground ground_;
  ServerNode server_;
  Draw draw_;
  std::function<void(const Struck&)> tell_struck_;
  std::vector<std::unique_ptr<ReceiverNode>> receivers_;
  std::vector<std::unique_ptr<HostileNode>> hostile_;
  std::vector<EndpointId> hostile_endpoints_;
  std::optional<Stage> stage_;
  std::optional<Operator> operator_;
  std::optional<Producers> producers_;
  std::optional<HandSigner> hand_signer_;
  std::optional<RudeCaller> rude_caller_;
  MonotonicTime end_ = MonotonicTime{} + std::chrono::hours(24 * 365);
  const char* phase_ = "";
  bool finished_ = false;
  std::uint64_t crashes_ = 0;
  std::uint64_t recoveries_ = 0;
  std::uint32_t last_up_ = 0;
  Scope direction_;
};

}  // namespace

WorldResult run_world(const Options& options, const Watching& watching) {
  World world(options, watching);
  return world.run();
}

}  // namespace semel::sim
