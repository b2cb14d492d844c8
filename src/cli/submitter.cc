// submitter.cc: try, judge, wait.
#include "cli/submitter.h"

#include <algorithm>

#include "base/id.h"
#include "cli/failure.h"
#include "core/retry/retry_after.h"

namespace semel::cli {

namespace {

constexpr std::int64_t kFirstDelayMs = 100;
constexpr std::int64_t kLongestDelayMs = 5'000;

bool is_in_progress(const http::SimpleAnswer& answer) {
  return answer.status == 409 && answer.body.find("\"IDEMPOTENCY_REQUEST_IN_PROGRESS\"") != std::string::npos;
}

bool is_worth_a_retry(const Result<http::SimpleAnswer>& answer) {
  if (!answer) {
    const Recourse way = recourse(answer.error().fault);
    return way == Recourse::wait_and_retry || way == Recourse::ask_then_retry;
  }
  const int status = answer->status;
  return status == 429 || status == 502 || status == 503 || status == 504 || is_in_progress(*answer);
}

}  // namespace

Result<http::SimpleAnswer> Submitter::submit(const Submission& submission) {
  const MonotonicTime give_up_at = client_.clock().now() + patience_;
  for (int failures = 0;; ++failures) {
    Result<http::SimpleAnswer> answer = client_.call({.method = "POST",
                                                      .target = submission.target,
                                                      .headers = {{"idempotency-key", submission.idempotency_key}},
                                                      .body = submission.body});
    if (!is_worth_a_retry(answer)) return answer;
    const milliseconds wait = wait_before_retry(answer, failures);
    if (client_.clock().now() + wait > give_up_at) return answer;
    ++retries_;
    on_retry_(answer ? describe(*answer) : answer.error().note);
    client_.pause(wait);
  }
}

std::string Submitter::make_idempotency_key() { return make_id("send_", client_.clock().wall(), client_.random()); }

milliseconds Submitter::wait_before_retry(const Result<http::SimpleAnswer>& answer, int failures) {
  const std::int64_t ceiling = std::min(kLongestDelayMs, kFirstDelayMs << std::min(failures, 10));
  const milliseconds own(client_.random().between(ceiling / 2, ceiling));
  if (!answer) return own;
  const std::optional<std::string_view> header = answer->header("retry-after");
  if (!header) return own;
  return std::max(own, retry::parse_retry_after(*header, client_.clock().wall()).value_or(own));
}

}  // namespace semel::cli
