// producers.cc: one thread and one connection each.
#include "producers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "base/check.h"
#include "base/json.h"
#include "support/api_client.h"

namespace semel::demo {

using std::chrono::steady_clock;

namespace {

constexpr milliseconds kAnswerMax{3'000};
constexpr milliseconds kBetweenTries{25};

}  // namespace

// A connection that is made anew after each doubt.
class Submitter {
 public:
  explicit Submitter(const ProducerPlan& plan) : plan_(plan) { renew(); }
  void renew() { api_ = std::make_unique<harness::ApiClient>(plan_.port, plan_.key); }
  Result<harness::ApiAnswer> submit(const PlannedEvent& event) {
    return api_->post("/v1/events", submission_of(event),
                      {{"idempotency-key", fmt::format("\"{}\"", event.idempotency_key)}}, kAnswerMax);
  }

 private:
  const ProducerPlan& plan_;
  std::unique_ptr<harness::ApiClient> api_;
};

Producers::Producers(const std::vector<PlannedEvent>& events, ProducerPlan plan)
    : events_(events), plan_(std::move(plan)) {
  file_ = open(plan_.file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  SEMEL_CHECK(file_ >= 0);
  running_ = plan_.producers;
  for (int which = 0; which < plan_.producers; ++which)
    threads_.emplace_back([this, which] {
      produce(which);
      --running_;
    });
}

Producers::~Producers() {
  stop_ = true;
  threads_.clear();
  close(file_);
}

std::optional<std::string> Producers::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

std::vector<Told> Producers::told() const {
  const std::lock_guard lock(mutex_);
  return told_;
}

void Producers::produce(int which) {
  Submitter submitter(plan_);
  const auto start = steady_clock::now();
  const double pause = plan_.seconds / static_cast<double>(events_.size());
  for (std::size_t n = static_cast<std::size_t>(which); n < events_.size() && !stop_;
       n += static_cast<std::size_t>(plan_.producers)) {
    std::this_thread::sleep_until(start + std::chrono::duration_cast<steady_clock::duration>(
                                              std::chrono::duration<double>(pause * static_cast<double>(n))));
    const std::optional<Told> told = submit(events_[n], submitter);
    if (!told) return;
    note(*told);
  }
}

std::optional<Told> Producers::submit(const PlannedEvent& event, Submitter& submitter) {
  while (!stop_) {
    const Result<harness::ApiAnswer> answer = submitter.submit(event);
    if (answer && answer->status() == 202)
      return Told{answer->text("id"), harness::number_of(answer->root(), "sequence"), &event};
    if (answer && answer->status() < 500 && answer->status() != 409 && answer->status() != 429) {
      const std::lock_guard lock(mutex_);
      failure_ = fmt::format("{} was answered {} {}", event.type, answer->status(), answer->body());
      stop_ = true;
      return std::nullopt;
    }
    if (!answer) submitter.renew();
    ++repeated_;
    std::this_thread::sleep_for(kBetweenTries);
  }
  return std::nullopt;
}

void Producers::note(const Told& told) {
  JsonWriter json;
  json.object()
      .member("id", told.id)
      .member("sequence", told.sequence)
      .member("ordering_key", told.event->ordering_key);
  const std::string line = json.member("idempotency_key", told.event->idempotency_key).end().take() + "\n";
  const std::lock_guard lock(mutex_);
  SEMEL_CHECK(write(file_, line.data(), line.size()) == static_cast<ssize_t>(line.size()));
  told_.push_back(told);
  ++accepted_;
}

}  // namespace semel::demo
