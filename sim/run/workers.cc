// workers.cc: one process a worker, one job at a time in each.
#include "sim/run/workers.h"

#include <fmt/core.h>
#include <poll.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "sim/run/child.h"

namespace semel::sim {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kPatience = 10;  // times the CPU a job may use

}  // namespace

struct Workers::Worker {
  Child child;
  std::optional<Job> job;
  Clock::time_point until;  // of the job
};

Workers::Workers(Limits limits, Work work) : limits_(limits), work_(std::move(work)) {
  SEMEL_CHECK(limits.workers > 0);
}
Workers::~Workers() = default;

void Workers::run(const Next& next) {
  while (true) {
    deal(next);
    if (std::ranges::none_of(workers_, [](const auto& worker) { return worker->job.has_value(); })) return;
    await_answers();
  }
}

void Workers::deal(const Next& next) {
  const auto count = static_cast<std::size_t>(limits_.workers);
  for (std::size_t i = 0; i < count; ++i) {
    if (i < workers_.size() && workers_[i]->job) continue;
    std::optional<Job> job = limits_.stopped() ? std::nullopt : next();
    if (!job) return;
    if (i == workers_.size()) workers_.push_back(start());
    Worker& worker = *workers_[i];
    worker.job = std::move(job);
    worker.until = Clock::now() + limits_.cpu * kPatience;
    worker.child.wire().send(worker.job->order);
  }
}

std::unique_ptr<Workers::Worker> Workers::start() const {
  return std::make_unique<Worker>(Child([this](Wire& wire) {
    while (const std::optional<std::string> order = wire.receive()) {
      begin_of_work(limits_.cpu);
      if (!wire.send(work_(*order))) return;
    }
  }));
}

void Workers::await_answers() {
  std::vector<pollfd> wires;
  for (const auto& worker : workers_)
    wires.push_back({.fd = worker->child.wire().fd(), .events = POLLIN, .revents = 0});
  poll(wires.data(), wires.size(), static_cast<int>(until_first_is_stuck().count()));
  for (std::size_t i = 0; i < wires.size(); ++i) {
    Worker& worker = *workers_[i];
    if (wires[i].revents != 0)
      take_answer(i);
    else if (worker.job && Clock::now() > worker.until)
      worker.child.kill();  // the next round finds it dead
  }
}

std::chrono::milliseconds Workers::until_first_is_stuck() const {
  std::chrono::milliseconds wait = limits_.cpu * kPatience;
  for (const auto& worker : workers_)
    if (worker->job) wait = std::min(wait, std::chrono::ceil<std::chrono::milliseconds>(worker->until - Clock::now()));
  return std::max(wait, std::chrono::milliseconds(1));
}

void Workers::take_answer(std::size_t number) {
  Worker& worker = *workers_[number];
  const std::optional<Job> job = std::exchange(worker.job, std::nullopt);
  Answer answer;
  if (std::optional<std::string> said = worker.child.wire().receive()) {
    answer.said = *std::move(said);
  } else {
    answer.death = worker.child.wait().value_or("ended without an answer");
    workers_[number] = start();
  }
  if (job) job->then(answer);
}

std::vector<std::string> Workers::end() {
  std::vector<std::string> wrong;
  for (const auto& worker : workers_) {
    worker->child.wire().finish();
    if (std::optional<std::string> death = worker->child.wait()) wrong.push_back(*std::move(death));
  }
  workers_.clear();
  return wrong;
}

}  // namespace semel::sim
