// any_outcome.h: outcomes, rules and policies for property tests, each kind often enough to be met, and what an outcome
// shows about its event, told a second time and apart from judge.cc.
#pragma once

#include <rapidcheck.h>

#include <optional>
#include <string>

#include "base/match.h"
#include "core/retry/judge.h"

namespace semel::retry {

inline rc::Gen<milliseconds> any_duration(milliseconds low, milliseconds high) {
  // Short ones as often as long ones.
  return rc::gen::exec([low, high] {
    const std::int64_t room = high.count() - low.count();
    const int shift = *rc::gen::inRange(0, 40);
    return low + milliseconds(*rc::gen::inRange<std::int64_t>(0, (room >> shift) + 1));
  });
}

// With the bounds that parse_policy keeps.
inline rc::Gen<Spelled> any_spelled() {
  return rc::gen::exec([] {
    using std::chrono::hours;
    Spelled policy;
    policy.base = *any_duration(milliseconds(1), hours(24));
    policy.factor = *rc::gen::inRange(100, 10'001) / 100.0;
    policy.max_delay = *any_duration(policy.base, hours(24 * 7));
    policy.jitter = *rc::gen::element(Jitter::none, Jitter::full, Jitter::equal, Jitter::decorrelated);
    const int ends_by = *rc::gen::element(0, 1, 2);
    if (ends_by != 0) policy.max_attempts = *rc::gen::inRange(1u, 1001u);
    if (ends_by != 1) policy.max_elapsed = *any_duration(milliseconds(1), hours(24 * 14));
    return policy;
  });
}

inline rc::Gen<Policy> any_policy() {
  return rc::gen::weightedOneOf<Policy>(
      {{1, rc::gen::element<Policy>(Named::five_minutes, Named::standard)},
       {3, rc::gen::map(any_spelled(), [](const Spelled& spelled) { return Policy(spelled); })}});
}

inline rc::Gen<JudgeRules> any_rules() {
  return rc::gen::exec([] {
    return JudgeRules{.policy = *any_policy(),
                      .client_errors = *rc::gen::element(ClientErrors::retry, ClientErrors::give_up)};
  });
}

inline rc::Gen<Outcome> any_answer() {
  return rc::gen::exec([]() -> Outcome {
    Answer answer;
    answer.status = *rc::gen::weightedOneOf<int>(
        {{3, rc::gen::element(200, 202, 204, 301, 400, 408, 409, 410, 422, 425, 429, 500, 502, 503, 504)},
         {1, rc::gen::inRange(200, 600)}});
    answer.disposition = *rc::gen::element<std::optional<std::string>>(std::nullopt, std::nullopt, "applied",
                                                                       "duplicate", "parked", "rejected", "odd");
    answer.retry_after = *rc::gen::element<std::optional<std::string>>(std::nullopt, std::nullopt, "0", "1", "30",
                                                                       "3600", "86400", "soon");
    answer.body_excerpt = *rc::gen::element<std::string>("", R"({"reason":"late"})");
    answer.body = *rc::gen::element(Answer::Body::complete, Answer::Body::over_cap, Answer::Body::incomplete);
    return answer;
  });
}

inline rc::Gen<Outcome> any_trouble() {
  return rc::gen::exec([]() -> Outcome {
    using Trouble = NoAnswer::Trouble;
    NoAnswer none;
    none.trouble = *rc::gen::element(Trouble::denied_destination, Trouble::name_resolution, Trouble::connect,
                                     Trouble::tls, Trouble::certificate, Trouble::malformed_answer,
                                     Trouble::connection_lost, Trouble::timed_out, Trouble::lapsed);
    const bool lost_or_late = none.trouble == Trouble::connection_lost || none.trouble == Trouble::timed_out;
    none.request_byte_left = none.trouble == Trouble::malformed_answer || (lost_or_late && *rc::gen::arbitrary<bool>());
    none.stale_connection = none.trouble == Trouble::connection_lost && none.request_byte_left &&
                            *rc::gen::weightedElement<bool>({{3, false}, {1, true}});
    return none;
  });
}

inline rc::Gen<Outcome> any_outcome() { return rc::gen::oneOf(any_answer(), any_trouble()); }

// The receiver has said that the event is there: a complete 2xx that is not "parked".
inline bool confirms(const Outcome& outcome) {
  const auto* answer = std::get_if<Answer>(&outcome);
  return answer != nullptr && answer->status / 100 == 2 && answer->body != Answer::Body::incomplete &&
         !(answer->status == 202 && answer->disposition == "parked");
}

inline bool parks(const Outcome& outcome) {
  const auto* answer = std::get_if<Answer>(&outcome);
  return answer != nullptr && answer->status == 202 && answer->disposition == "parked" &&
         answer->body != Answer::Body::incomplete;
}

// Something shows that the event was not applied: nothing was sent, or whoever answered has refused it.
inline bool shows_failure(const Outcome& outcome) {
  using Trouble = NoAnswer::Trouble;
  return match(
      outcome,
      [](const Answer& answer) { return answer.status / 100 != 2 && answer.status != 502 && answer.status != 504; },
      [](const NoAnswer& none) {
        if (none.trouble == Trouble::lapsed) return false;
        return !none.request_byte_left || none.trouble == Trouble::malformed_answer;
      });
}

// Neither: it may have been applied.
inline bool leaves_doubt(const Outcome& outcome) {
  return !confirms(outcome) && !parks(outcome) && !shows_failure(outcome);
}

}  // namespace semel::retry
