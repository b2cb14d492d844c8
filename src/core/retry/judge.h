// judge.h: what an outcome means for its delivery: the table of docs/life-of-an-event.md step 11, as one function.
//
// Decides:    delivered, tried again, parked, unknown or dead, with the class and the reason.
// Invariant:  I-UNKNOWN-NOT-FAILED  once a request byte left and no complete answer came, the verdict is Unknown (or
//             Dead with may_have_happened), never a plain failure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/random.h"
#include "base/time.h"
#include "core/retry/outcome.h"
#include "core/retry/policy.h"

namespace semel::retry {

enum class ClientErrors : std::uint8_t { retry, give_up };

// What an endpoint's operator chose, as far as judging goes.
struct JudgeRules {
  Policy policy = kDefaultPolicy;
  ClientErrors client_errors = ClientErrors::retry;
};

// What the answer says about the endpoint as a whole (core/admission/window.h).
enum class EndpointSignal : std::uint8_t {
  none,       // no complete answer: says nothing about the endpoint's willingness
  willing,    // a complete answer that does not refuse
  throttled,  // 429, 503, 502 or 504 without Retry-After
};

// The delivery's own facts that a judgement needs.
struct JudgedAttempt {
  bool counts = true;             // false for the further attempt after a connection that died idle
  RoundProgress before;           // before this attempt was counted
  std::uint32_t parked_asks = 0;  // how often the receiver has answered parked in a row
  std::optional<WallTime> parked_since;
};

struct Delivered {
  bool duplicate = false;  // the receiver said it had it already
};
struct RetryAt {
  WallTime at;
  FailureClass failure;
};
struct ParkedUntil {
  WallTime ask_at;
};
struct UnknownUntil {
  WallTime resend_at;
  bool extra_attempt = false;  // at once on a fresh connection, outside the policy's count
};
struct DeadNow {
  std::string reason;  // a word of docs/glossary.md: attempts_exhausted, rejected_by_receiver, ..
  FailureClass failure;
  bool in_doubt = false;  // the last outcome itself was unknown
};

using Decision = std::variant<Delivered, RetryAt, ParkedUntil, UnknownUntil, DeadNow>;

struct Verdict {
  Decision decision;
  std::optional<FailureClass> failure;  // none when delivered or parked
  RoundProgress after;                  // the round's progress once this verdict is settled
  EndpointSignal endpoint = EndpointSignal::none;
  std::optional<milliseconds> endpoint_wait;  // Retry-After of a 429 or 503: everything of this endpoint waits
  bool odd_disposition = false;               // status and disposition do not fit each other; the status alone decided
  std::string reason;  // rejected: the receiver's reason; else a short word for the attempt's record
};

Verdict judge(const Outcome& outcome, const JudgeRules& rules, const JudgedAttempt& attempt, WallTime now,
              Random& random);

}  // namespace semel::retry
