// receiver_node.cc: start and crash of a receiver, its misbehaviour, and what its file says.
#include "sim/world/receiver_node.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <array>
#include <filesystem>

#include "base/check.h"
#include "cli/listen/front.h"
#include "core/signature/signature.h"
#include "edge/sqlite/connection.h"
#include "http/server.h"
#include "port/scope.h"
#include "sim/world/outside_reader.h"
#include "sim/world/take_down.h"

namespace semel::sim {

struct ReceiverNode::Running {
  Running(Ground& ground, const std::string& name, std::uint32_t number, const WallClock& wall)
      : process(name, ground.schedule, wall), net(ground.net.net_of(process, receiver_ip(number))) {}

  Process process;
  std::unique_ptr<Net> net;
  std::unique_ptr<cli::Receiver> receiver;
  std::optional<cli::Front> front;
  std::unique_ptr<http::Server> listener;
  std::unique_ptr<OutsideReader> reader;
};

namespace {

signature::VerifierKey key_of(const std::string& secret) {
  Result<signature::VerifierKey> key = signature::parse_verifier_key(secret);
  SEMEL_CHECK(key.has_value());
  return *std::move(key);
}

}  // namespace

ReceiverNode::ReceiverNode(Ground& ground, Witness& witness, std::uint32_t number)
    : ground_(ground), witness_(witness), number_(number), name_(fmt::format("receiver{}", number)) {
  Draw draw = ground.draw.fork("receiver", number);
  const auto scheme = draw.happens(percent(20)) ? signature::Scheme::ed25519 : signature::Scheme::hmac_sha256;
  secret_ = signature::format_secret(signature::make_secret(scheme, draw));
  direct_secret_ = signature::format_secret(signature::make_secret(signature::Scheme::hmac_sha256, draw));
  std::filesystem::create_directories(files());
  ground.net.name_host(host(), {receiver_ip(number)});
}

ReceiverNode::~ReceiverNode() {
  if (running_) crash(SimDisk::Loss::nothing);
}

Process* ReceiverNode::process() { return running_ ? &running_->process : nullptr; }

void ReceiverNode::start() {
  SEMEL_CHECK(!running_);
  wanted_.reset();
  running_ = std::make_unique<Running>(ground_, name_, number_, kTrueTime);
  const std::string database = files() + "inbox.db";
  Result<std::unique_ptr<cli::Receiver>> opened =
      cli::Receiver::open({.database = database,
                           .consumer = name_,
                           .sources = {{std::string(kShopSource), {key_of(secret_)}},
                                       {std::string(kDirectSource), {key_of(direct_secret_)}}},
                           .ledger = {},
                           .effects = {.refused_types = {std::string(kRefusedType)}, .keep_data = true},
                           .vfs = ground_.disk.vfs()});
  if (!opened) {
    ground_.trace.note(name_, [&] { return "does not start: " + opened.error().note; });
    return want_crash(SimDisk::Loss::nothing);
  }
  Running& running = *running_;
  running.receiver = *std::move(opened);
  running.front.emplace(running.process, running.process, *running.receiver, cli::Faults({}, 1),
                        [this] { want_crash(SimDisk::Loss::nothing); });
  running.front->start();
  Result<std::unique_ptr<http::Server>> listener =
      http::serve(*running.net, running.process, running.process, {receiver_ip(number_), kReceiverPort}, {},
                  [this, &running](HttpRequest request) { return answer(running, std::move(request)); });
  SEMEL_CHECK(listener.has_value());
  running.listener = *std::move(listener);
  running.reader = std::make_unique<OutsideReader>(database, ground_.disk.vfs());
}

void ReceiverNode::crash(SimDisk::Loss loss) {
  SEMEL_CHECK(running_ != nullptr);
  take_down(ground_, witness_,
            {.name = name_, .ip = receiver_ip(number_), .files = files(), .process = running_->process}, loss,
            [this] { running_.reset(); });
}

Co<HttpResponse> ReceiverNode::answer(Running& running, HttpRequest request) {
  if (holds_up(request)) co_return HttpResponse{.status = 500, .headers = {}, .body = "{}"};
  if (std::optional<Draw> fault = ground_.faults.strike(FaultClass::receiver_fails)) co_return failure(*fault);
  const std::optional<Draw> slow = ground_.faults.strike(FaultClass::receiver_slow);
  HttpResponse response = co_await running.front->handle(std::move(request));
  if (slow) {
    Draw draw = *slow;
    const milliseconds wait(draw.between(1'000, 45'000));
    co_await sleep_until(running.process, running.process.now() + wait);
  }
  co_return response;
}

// The first event of the flood, so that all others have to wait for it here.
bool ReceiverNode::holds_up(const HttpRequest& request) const {
  return ground_.options.flood && !ground_.faults.healed() && request.header("semel-ordering-key") == "flood" &&
         request.header("semel-sequence") == "1";
}

HttpResponse ReceiverNode::failure(Draw& draw) {
  constexpr std::array<int, 15> kStatus{500, 500, 502, 503, 503, 504, 429, 429, 408, 425, 404, 409, 401, 410, 422};
  HttpResponse response{.status = draw.pick(std::span<const int>(kStatus)), .headers = {}, .body = "{}"};
  if (response.status == 422) response.headers.emplace_back("semel-disposition", "rejected");
  const bool may_wait = response.status == 429 || response.status == 503 || response.status == 425;
  if (may_wait && draw.happens(percent(50)))
    response.headers.emplace_back("retry-after", std::to_string(draw.skewed(1, 12)));
  return response;
}

bool ReceiverNode::tell_effects() {
  if (!running_ || !running_->reader) return false;
  const std::optional<std::vector<Effect>> effects = running_->reader->effects_after(effects_told_);
  if (!effects) return false;
  for (Effect effect : *effects) {
    effect.receiver = name_;
    effects_told_ = effect.effect_no;
    if (witness_.chart.kept()) witness_.chart.add(ground_.schedule.now(), name_, "", "applied " + effect.data);
    witness_.tell([&](Checker& checker) {
      if (effect.source == kDirectSource)
        checker.hand_signed_effect_made(effect);
      else
        checker.effect_made(effect);
    });
  }
  return true;
}

std::optional<ReceiverState> ReceiverNode::state() {
  if (!running_ || !running_->reader) return std::nullopt;
  std::optional<ReceiverState> state = running_->reader->state();
  if (state) state->receiver = name_;
  return state;
}

}  // namespace semel::sim
