// submitter.h: hands submissions in until the server has answered for good.
//
// Contract: every try of one submission carries the same Idempotency-Key, made once, so that a lost answer makes no
//           second event. Tried again: no connection, no answer, 409 while a first try is still under way, 429, 502,
//           503, 504; after the server's Retry-After, else after a random part of 100 ms doubling to 5 s.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cli/api_client.h"

namespace semel::cli {

struct Submission {
  std::string target;
  std::string body;
  std::string idempotency_key;
};

class Submitter {
 public:
  // Gives up `patience` after a submission's first try. `on_retry` is told why it is tried again.
  Submitter(ApiClient& client, milliseconds patience, std::function<void(const std::string& why)> on_retry)
      : client_(client), patience_(patience), on_retry_(std::move(on_retry)) {}

  // The last answer, or the last failure.
  Result<http::SimpleAnswer> submit(const Submission& submission);
  std::string make_idempotency_key();
  std::uint64_t retries() const { return retries_; }

 private:
  milliseconds wait_before_retry(const Result<http::SimpleAnswer>& answer, int failures);

  ApiClient& client_;
  milliseconds patience_;
  std::function<void(const std::string&)> on_retry_;
  std::uint64_t retries_ = 0;
};

}  // namespace semel::cli
