// judge.cc: reads from the top as the table does: what the answer means, then when to try again.
#include "core/retry/judge.h"

#include <algorithm>

#include "base/json.h"
#include "base/match.h"
#include "base/planted.h"
#include "base/probe.h"
#include "core/retry/retry_after.h"

namespace semel {

const char* name_of(FailureClass failure) {
  switch (failure) {
    case FailureClass::transient:
      return "TRANSIENT";
    case FailureClass::permanent:
      return "PERMANENT";
    case FailureClass::conflict:
      return "CONFLICT";
    case FailureClass::throttled:
      return "THROTTLED";
    case FailureClass::unknown_outcome:
      return "UNKNOWN_OUTCOME";
    case FailureClass::cancelled:
      return "CANCELLED";
    case FailureClass::policy_rejected:
      return "POLICY_REJECTED";
  }
  std::unreachable();
}

}  // namespace semel

namespace semel::retry {
namespace {

constexpr milliseconds kFirstAsk = std::chrono::seconds(30);
constexpr milliseconds kLongestAsk = std::chrono::hours(1);
constexpr milliseconds kParkMax = std::chrono::hours(24 * 7);
constexpr std::size_t kReasonMax = 200;

// What kind of answer it was, before the policy has its say.
enum class Meaning { delivered, duplicate, parked, rejected, failed, unknown };

struct Reading {
  Meaning meaning;
  FailureClass failure = FailureClass::transient;  // of failed and unknown
  EndpointSignal endpoint = EndpointSignal::none;
  bool obeys_retry_after = false;  // this delivery waits at least that long
  bool endpoint_waits = false;     // and with it the whole endpoint
  bool by_client_errors = false;   // the endpoint's `client_errors` decides between retry and giving up
  bool stale_connection = false;
  bool odd_disposition = false;
  std::string reason;
};

// At most so many bytes of a valid text, and no part of a character.
std::string first_characters(std::string_view text, std::size_t bytes_max) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  std::size_t end = std::min(text.size(), bytes_max);
  while (end < text.size() && continues(text[end])) --end;
  return std::string(text.substr(0, end));
}

// The reason a receiver gave in {"status":..,"reason":..}; empty when there is none.
std::string reason_in(std::string_view body) {
  const Result<JsonDocument> document = parse_json(body);
  if (!document || document->root().kind() != JsonKind::object) return {};
  const std::optional<JsonValue> reason = document->root().find("reason");
  if (!reason || reason->kind() != JsonKind::string) return {};
  return first_characters(reason->text(), kReasonMax);
}

// The pairs of status and disposition that say more than the status does.
std::optional<Reading> read_disposition(const Answer& answer) {
  if (answer.status == 200 && answer.disposition == "applied")
    return Reading{.meaning = Meaning::delivered, .endpoint = EndpointSignal::willing, .reason = "applied"};
  if (answer.status == 200 && answer.disposition == "duplicate")
    return Reading{.meaning = Meaning::duplicate, .endpoint = EndpointSignal::willing, .reason = "duplicate"};
  if (answer.status == 202 && answer.disposition == "parked")
    return Reading{.meaning = Meaning::parked, .endpoint = EndpointSignal::willing, .reason = "parked"};
  if (answer.status == 422 && answer.disposition == "rejected")
    return Reading{.meaning = Meaning::rejected,
                   .failure = FailureClass::permanent,
                   .endpoint = EndpointSignal::willing,
                   .reason = reason_in(answer.body_excerpt)};
  return std::nullopt;
}

Reading read_status(int status) {
  const std::string reason = "status_" + std::to_string(status);
  const auto failed = [&](FailureClass failure) {
    return Reading{
        .meaning = Meaning::failed, .failure = failure, .endpoint = EndpointSignal::willing, .reason = reason};
  };
  if (status >= 200 && status <= (planted(Planted::redirect_counts_as_delivered) ? 399 : 299))
    return {.meaning = Meaning::delivered, .endpoint = EndpointSignal::willing, .reason = reason};
  Reading reading = failed(FailureClass::permanent);
  switch (status) {
    case 429:
    case 503:
      probe::reached<"judge.throttled">();
      reading.failure = FailureClass::throttled;
      reading.endpoint = EndpointSignal::throttled;
      reading.obeys_retry_after = reading.endpoint_waits = true;
      return reading;
    case 502:
    case 504:
      probe::reached<"judge.unknown_at_a_gateway">();
      reading.meaning = Meaning::unknown;
      reading.failure = FailureClass::unknown_outcome;
      reading.endpoint = EndpointSignal::throttled;
      return reading;
    case 408:
    case 425:
      probe::reached<"judge.too_early">();
      reading.failure = FailureClass::transient;
      reading.obeys_retry_after = true;
      return reading;
    case 410:  // an endpoint that is gone may come back: recorded and tried again
      probe::reached<"judge.gone">();
      return reading;
    case 409:
      probe::reached<"judge.conflict">();
      reading.failure = FailureClass::conflict;
      reading.by_client_errors = true;
      return reading;
    default:
      probe::sometimes<"judge.server_error">(status >= 500);
      probe::sometimes<"judge.client_error">(status >= 400 && status < 500);
      probe::sometimes<"judge.redirect">(status < 400);
      if (status >= 500)
        reading.failure = FailureClass::transient;
      else
        reading.by_client_errors = true;
      return reading;
  }
}

Reading read_answer(const Answer& answer) {
  Reading reading = read_disposition(answer).value_or(Reading{.meaning = Meaning::failed});
  if (reading.meaning == Meaning::failed) {
    reading = read_status(answer.status);
    reading.odd_disposition = answer.disposition.has_value();
    probe::sometimes<"judge.odd_disposition">(reading.odd_disposition);
  }
  const bool good = reading.meaning == Meaning::delivered || reading.meaning == Meaning::duplicate ||
                    reading.meaning == Meaning::parked;
  if (good && answer.body == Answer::Body::incomplete && !planted(Planted::delivered_on_partial_answer)) {
    probe::reached<"judge.answer_incomplete">();
    reading.meaning = Meaning::unknown;
    reading.failure = FailureClass::unknown_outcome;
    reading.endpoint = EndpointSignal::none;
    reading.reason = "answer_body_incomplete";
  }
  return reading;
}

Reading read_no_answer(const NoAnswer& none) {
  using Trouble = NoAnswer::Trouble;
  const auto failed = [](FailureClass failure, const char* reason) {
    return Reading{.meaning = Meaning::failed, .failure = failure, .reason = reason};
  };
  const auto unknown = [&](const char* reason) {
    if (planted(Planted::unknown_counts_as_failed)) return failed(FailureClass::transient, reason);
    return Reading{.meaning = Meaning::unknown,
                   .failure = FailureClass::unknown_outcome,
                   .stale_connection = none.stale_connection,
                   .reason = reason};
  };
  switch (none.trouble) {
    case Trouble::denied_destination: {
      probe::reached<"judge.destination_denied">();
      Reading reading = failed(FailureClass::policy_rejected, "destination_denied");
      reading.by_client_errors = true;
      return reading;
    }
    case Trouble::name_resolution:
      probe::reached<"judge.name_unresolved">();
      return failed(FailureClass::transient, "name_resolution_failed");
    case Trouble::connect:
      probe::reached<"judge.not_connected">();
      return failed(FailureClass::transient, "connect_failed");
    case Trouble::tls:
      probe::reached<"judge.tls_failed">();
      return failed(FailureClass::transient, "tls_failed");
    case Trouble::certificate: {
      probe::reached<"judge.certificate_refused">();
      Reading reading = failed(FailureClass::permanent, "certificate_refused");
      reading.by_client_errors = true;
      return reading;
    }
    case Trouble::malformed_answer: {
      probe::reached<"judge.malformed_answer">();
      Reading reading = failed(FailureClass::permanent, "malformed_answer");
      reading.by_client_errors = true;
      return reading;
    }
    case Trouble::connection_lost:
      probe::reached<"judge.connection_lost">();
      return none.request_byte_left ? unknown("connection_lost")
                                    : failed(FailureClass::transient, "connection_lost_before_request");
    case Trouble::timed_out:
      probe::sometimes<"judge.timed_out">(none.request_byte_left);
      probe::sometimes<"judge.timed_out_before_request">(!none.request_byte_left);
      return none.request_byte_left ? unknown("timed_out")
                                    : failed(FailureClass::transient, "timed_out_before_request");
    case Trouble::lapsed:
      return unknown("lapsed");
  }
  std::unreachable();
}

Reading read_outcome(const Outcome& outcome) {
  return match(
      outcome, [](const Answer& answer) { return read_answer(answer); },
      [](const NoAnswer& none) { return read_no_answer(none); });
}

std::optional<milliseconds> retry_after_of(const Outcome& outcome, const Reading& reading, WallTime now) {
  const auto* answer = std::get_if<Answer>(&outcome);
  if (!answer || !reading.obeys_retry_after || !answer->retry_after) return std::nullopt;
  const std::optional<milliseconds> wait = parse_retry_after(*answer->retry_after, now);
  probe::sometimes<"judge.retry_after_unreadable">(!wait);
  return wait;
}

// 30 s, doubling to an hour.
milliseconds ask_delay(std::uint32_t asks_before) {
  return std::min(kLongestAsk, kFirstAsk * (1 << std::min(asks_before, 8u)));
}

Decision decide_parked(const JudgedAttempt& attempt, WallTime now) {
  if (now - attempt.parked_since.value_or(now) >= kParkMax)
    return DeadNow{.reason = "parked_too_long", .failure = FailureClass::transient, .in_doubt = true};
  return ParkedUntil{now + ask_delay(attempt.parked_asks)};
}

// A failure or a doubt: when the policy allows another attempt.
Decision decide_again(const Reading& reading, const JudgeRules& rules, std::optional<milliseconds> asked_wait,
                      RoundProgress& progress, WallTime now, Random& random) {
  const bool in_doubt = reading.meaning == Meaning::unknown;
  probe::sometimes<"judge.extra_attempt">(reading.stale_connection);
  if (reading.stale_connection) return UnknownUntil{.resend_at = now, .extra_attempt = true};
  if (reading.by_client_errors && rules.client_errors == ClientErrors::give_up) {
    probe::reached<"judge.given_up">();
    return DeadNow{.reason = "given_up", .failure = reading.failure};
  }
  const NextTry next = next_try(rules.policy, progress, now, random);
  const auto* again = std::get_if<TryAgain>(&next);
  probe::sometimes<"judge.attempts_exhausted">(!again);
  probe::sometimes<"judge.exhausted_in_doubt">(!again && in_doubt);
  if (!again) return DeadNow{.reason = "attempts_exhausted", .failure = reading.failure, .in_doubt = in_doubt};
  progress.last_delay = again->delay;
  if (in_doubt) return UnknownUntil{.resend_at = again->at};
  const WallTime at =
      planted(Planted::backoff_ignored) ? now : std::max(again->at, now + asked_wait.value_or(milliseconds(0)));
  probe::sometimes<"judge.retry_after_is_longer">(at > again->at);
  // The policy's clock stands still while a wait that was asked for is obeyed, and goes on for the rest of its own.
  if (asked_wait && progress.clock_origin) progress.clock_origin = *progress.clock_origin + *asked_wait;
  return RetryAt{.at = at, .failure = reading.failure};
}

}  // namespace

Verdict judge(const Outcome& outcome, const JudgeRules& rules, const JudgedAttempt& attempt, WallTime now,
              Random& random) {
  const Reading reading = read_outcome(outcome);
  const std::optional<milliseconds> asked_wait = retry_after_of(outcome, reading, now);

  Verdict verdict{.decision = Delivered{},
                  .failure = {},
                  .after = attempt.before,
                  .endpoint = reading.endpoint,
                  .endpoint_wait = {},
                  .odd_disposition = reading.odd_disposition,
                  .reason = reading.reason};
  if (reading.endpoint_waits && asked_wait) {
    verdict.endpoint = EndpointSignal::none;
    verdict.endpoint_wait = asked_wait;
  }
  const auto count_it = [&] {
    if (attempt.counts && !planted(Planted::budget_not_kept)) ++verdict.after.counted;
  };
  switch (reading.meaning) {
    case Meaning::delivered:
    case Meaning::duplicate:
      probe::sometimes<"judge.duplicate">(reading.meaning == Meaning::duplicate);
      count_it();
      verdict.decision = Delivered{.duplicate = reading.meaning == Meaning::duplicate};
      return verdict;
    case Meaning::parked:
      probe::reached<"judge.parked">();
      verdict.decision = decide_parked(attempt, now);
      return verdict;
    case Meaning::rejected:
      probe::reached<"judge.rejected">();
      count_it();
      verdict.failure = reading.failure;
      verdict.decision = DeadNow{.reason = "rejected_by_receiver", .failure = reading.failure};
      return verdict;
    case Meaning::failed:
    case Meaning::unknown:
      count_it();
      verdict.failure = reading.failure;
      verdict.decision = decide_again(reading, rules, asked_wait, verdict.after, now, random);
      return verdict;
  }
  std::unreachable();
}

}  // namespace semel::retry
