// hostile_node.cc: one drawn program, then a plain receiver.
#include "sim/world/hostile_node.h"

#include <fmt/core.h>

#include "base/check.h"

namespace semel::sim {
namespace {

Co<HttpResponse> answer(HttpRequest) { co_return HttpResponse{.status = 200, .headers = {}, .body = "{}"}; }

}  // namespace

HostileNode::HostileNode(Ground& ground, std::uint32_t number)
    : ground_(ground),
      number_(number),
      name_(fmt::format("hostile{}", number)),
      draw_(ground.draw.fork("hostile", number)) {
  ground.net.name_host(receiver_host(number), {receiver_ip(number)});
}

HostileNode::~HostileNode() { stop(); }

void HostileNode::start() {
  process_ = std::make_unique<Process>(name_, ground_.schedule, kTrueTime);
  net_ = ground_.net.net_of(*process_, receiver_ip(number_));
  const std::span<const HostileProgram> programs = hostile_programs();
  const HostileProgram& program = programs[draw_.below(programs.size())];
  ground_.trace.note(name_, [&] { return fmt::format("is {}", program.name); });
  hostile_ = std::make_unique<HostileReceiver>(*process_, *net_, SocketAddress{receiver_ip(number_), kReceiverPort},
                                               program, draw_.fork("program"));
}

void HostileNode::reform() {
  stop();
  process_ = std::make_unique<Process>(name_, ground_.schedule, kTrueTime);
  net_ = ground_.net.net_of(*process_, receiver_ip(number_));
  Result<std::unique_ptr<http::Server>> listener =
      http::serve(*net_, *process_, *process_, {receiver_ip(number_), kReceiverPort}, {}, &answer);
  SEMEL_CHECK(listener.has_value());
  tame_ = *std::move(listener);
}

void HostileNode::stop() {
  if (!process_) return;
  process_->kill();
  ground_.net.sever(receiver_ip(number_));
  hostile_.reset();
  tame_.reset();
  net_.reset();
  process_.reset();
}

}  // namespace semel::sim
