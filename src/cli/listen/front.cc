// front.cc: one batch or one drain at a time; a batch takes all that waits.
#include "cli/listen/front.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/json.h"

namespace semel::cli {
namespace {

constexpr std::size_t kBatchMax = 256;

client::Incoming incoming_of(const HttpRequest& request) {
  return {.webhook_id = request.header("webhook-id").value_or(""),
          .webhook_timestamp = request.header("webhook-timestamp").value_or(""),
          .webhook_signature = request.header("webhook-signature").value_or(""),
          .body = request.body};
}

HttpResponse json_response(int status, std::string body) {
  return {.status = status, .headers = {{"content-type", "application/json"}}, .body = std::move(body)};
}

HttpResponse response_of(const inbox::WireAnswer& answer) {
  HttpResponse response = json_response(answer.status, answer.body);
  if (!answer.disposition.empty()) response.headers.emplace_back("semel-disposition", answer.disposition);
  if (answer.retry_after_s) response.headers.emplace_back("retry-after", std::to_string(*answer.retry_after_s));
  return response;
}

}  // namespace

std::string to_json(const Counts& counts) {
  const auto& [totals, answers] = counts;
  JsonWriter w;
  w.object().member("applied", totals.effects).member("duplicates", answers.duplicates);
  w.member("parked_now", totals.inbox.parked_now).member("parked_ever", totals.inbox.parked_ever);
  w.member("rejected", totals.inbox.rejected).member("late", totals.inbox.late);
  w.member("requests", answers.requests).member("answered_parked", answers.parked).member("later", answers.later);
  w.member("refused", answers.refused).member("unavailable", answers.unavailable);
  w.member("acks_dropped", answers.acks_dropped).member("failed", answers.failed).member("hung", answers.hung);
  return w.end().take();
}

void Front::start() {
  drain_wanted_ = true;
  work();
}

Co<HttpResponse> Front::handle(HttpRequest request) {
  if (request.method == "GET" && request.path == "/counts") co_return co_await show_counts();
  if (request.method == "POST") co_return co_await receive(std::move(request));
  co_return json_response(404, R"({"status":"refused","reason":"POST a webhook, or GET /counts"})");
}

Co<HttpResponse> Front::receive(HttpRequest request) {
  ++answers_.requests;
  const Fate fate = faults_.draw();
  if (faults_.delay() > milliseconds(0)) co_await sleep_until(clock_, clock_.now() + faults_.delay());
  if (fate.fail_with) {
    ++answers_.failed;
    co_return json_response(*fate.fail_with, R"({"status":"failed","reason":"on_request"})");
  }
  if (fate.hang != Fate::Hang::no) ++answers_.hung;
  if (fate.hang == Fate::Hang::before_commit) co_return HttpResponse{.fate = HttpResponse::Fate::never_answer};
  const inbox::WireAnswer answer = co_await judge(std::move(request));
  count(answer);
  if (fate.hang == Fate::Hang::after_commit) co_return HttpResponse{.fate = HttpResponse::Fate::never_answer};
  if (faults_.drops_ack()) {
    ++answers_.acks_dropped;
    co_return HttpResponse{.fate = HttpResponse::Fate::cut_connection};
  }
  co_return response_of(answer);
}

Co<inbox::WireAnswer> Front::judge(HttpRequest request) {
  co_return co_await call<inbox::WireAnswer>([&](Done<inbox::WireAnswer> done) {
    waiting_.push_back({std::move(request), std::move(done)});
    work();
  });
}

void Front::count(const inbox::WireAnswer& answer) {
  if (answer.disposition == "duplicate") ++answers_.duplicates;
  if (answer.disposition == "parked") ++answers_.parked;
  if (answer.status == 425) ++answers_.later;
  if (answer.status == 400 || answer.status == 401) ++answers_.refused;
  if (answer.status == 503) ++answers_.unavailable;
}

// ---- the lane: batches and drains take turns, so that neither keeps the other waiting for ever ----

void Front::work() {
  if (working_) return;
  if (drain_wanted_ && (waiting_.empty() || !drained_last_)) return drain();
  if (!waiting_.empty()) commit_what_waits();
}

struct Front::Batch {
  std::vector<Waiting> waiting;
  std::vector<inbox::WireAnswer> answers;
  bool drain_wanted = false;
  bool broken = false;
};

void Front::commit_what_waits() {
  working_ = true;
  auto batch = std::make_shared<Batch>();
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(waiting_.size(), kBatchMax));
  batch->waiting.assign(std::move_iterator(waiting_.begin()), std::move_iterator(end));
  waiting_.erase(waiting_.begin(), end);
  const auto on_lane = [batch, &receiver = receiver_, now = clock_.wall()] {
    std::vector<client::Incoming> incoming;
    for (const Waiting& one : batch->waiting) incoming.push_back(incoming_of(one.request));
    batch->answers = receiver.receive(incoming, now);
    batch->drain_wanted = receiver.drain_wanted();
    batch->broken = receiver.broken().has_value();
  };
  lanes_.start_blocking(Lane::inbox, on_lane, [this, batch] {
    working_ = drained_last_ = false;
    drain_wanted_ = batch->drain_wanted;
    for (std::size_t i = 0; i < batch->waiting.size(); ++i) batch->waiting[i].done(std::move(batch->answers[i]));
    if (batch->broken) return on_broken_();
    work();
  });
}

void Front::drain() {
  struct Outcome {
    bool more = false;
    bool broken = false;
  };
  working_ = true;
  auto outcome = std::make_shared<Outcome>();
  const auto on_lane = [outcome, &receiver = receiver_, now = clock_.wall()] {
    outcome->more = receiver.drain(now);
    outcome->broken = receiver.broken().has_value();
  };
  lanes_.start_blocking(Lane::inbox, on_lane, [this, outcome] {
    working_ = false;
    drained_last_ = true;
    drain_wanted_ = outcome->more;
    if (outcome->broken) return on_broken_();
    work();
  });
}

// ---- counts ----

Co<Result<Counts>> Front::counts() {
  Result<ReceiverTotals> totals = ReceiverTotals{};
  co_await call<Nothing>([&](Done<Nothing> done) {
    lanes_.start_blocking(
        Lane::inbox, [&totals, &receiver = receiver_] { totals = receiver.totals(); },
        [waiting = std::move(done)]() mutable { waiting(Nothing{}); });
  });
  if (!totals) co_return std::unexpected(totals.error());
  co_return Counts{*totals, answers_};
}

Co<HttpResponse> Front::show_counts() {
  const Result<Counts> counts = co_await this->counts();
  if (!counts) co_return json_response(503, R"({"status":"refused","reason":"inbox_unavailable"})");
  co_return json_response(200, to_json(*counts));
}

}  // namespace semel::cli
