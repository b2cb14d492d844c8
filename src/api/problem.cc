// problem.cc: the registry of codes and the one place that writes application/problem+json.
#include "api/problem.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/bytes.h"
#include "base/probe.h"

namespace semel::api {

namespace {

constexpr milliseconds kStoreRetry{1'000};

constexpr ProblemKind kKinds[] = {
    {"BATCH_TOO_LARGE", 413, "The batch has too many events", false},
    {"BODY_INVALID", 400, "The body is not what this route reads", false},
    {"BODY_TOO_LARGE", 413, "The body is too large", false},
    {"CONFLICT", 409, "Something else changed it first", false},
    {"CURSOR_INVALID", 400, "The cursor is not one of this list", false},
    {"DESTINATION_DENIED", 400, "The destination is not allowed", false},
    {"ENDPOINT_GONE", 409, "The endpoint is deleted", false},
    {"EVENT_ID_REUSED_WITH_DIFFERENT_CONTENT", 422, "The event id is already used", false},
    {"EVENT_TYPE_FORBIDDEN", 403, "The key may not send this event type", false},
    {"FORBIDDEN", 403, "The key may not do this", false},
    {"IDEMPOTENCY_KEY_INVALID", 400, "Idempotency-Key is not readable", false},
    {"IDEMPOTENCY_KEY_REUSED_WITH_DIFFERENT_REQUEST", 422, "Idempotency-Key is already used", false},
    {"IDEMPOTENCY_KEY_UNSUPPORTED", 400, "Idempotency-Key is not honoured on this route", false},
    {"INTERNAL", 500, "The server failed", false},
    {"MEDIA_TYPE_UNSUPPORTED", 415, "The body must be application/json", false},
    {"MEMBER_INVALID", 400, "A member of the body has a wrong value", false},
    {"MEMBER_MISSING", 400, "A member of the body is missing", false},
    {"MEMBER_UNKNOWN", 400, "A member of the body is not known", false},
    {"METHOD_NOT_ALLOWED", 405, "The method is not one of this resource", false},
    {"NOT_AUTHENTICATED", 401, "No valid API key was presented", false},
    {"NOT_FOUND", 404, "There is no such resource", false},
    {"NOT_SUPPORTED_YET", 400, "This is not available yet", false},
    {"OUTCOME_UNKNOWN", 503, "Whether it was stored is not known", true},
    {"OVERLOADED", 503, "Too many deliveries are waiting to be sent", true},
    {"PREDECESSOR_REFUSED", 424, "An earlier event of the same ordering key was refused", true},
    {"QUERY_INVALID", 400, "A query parameter has a wrong value", false},
    {"QUERY_UNKNOWN", 400, "A query parameter is not known", false},
    {"SEQUENCE_GAP", 409, "The sequence is not the next one of its ordering key", false},
    {"SEQUENCE_MISSING", 409, "The ordering key is numbered by its producer", false},
    {"SEQUENCE_NOT_TAKEN", 409, "The ordering key is numbered by the server", false},
    {"STORE_CORRUPT", 500, "Stored bytes are not what was written", false},
    {"STORE_UNAVAILABLE", 503, "The store cannot be reached", true},
    {"TENANT_FORBIDDEN", 403, "The key is not one of this tenant", false},
    {"URL_INVALID", 400, "The URL cannot name an endpoint", false},
    {"WOULD_BREAK_ORDER", 409, "A later event of the same ordering key was delivered already", false},
};

// A version 4 UUID (RFC 9562 section 5.4): names this one occurrence.
std::string make_instance(Entropy& entropy) {
  std::array<std::uint8_t, 16> bytes{};
  entropy.fill(bytes);
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0F) | 0x40);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3F) | 0x80);
  std::string hex = to_hex(as_text(bytes));
  for (const std::size_t dash : {20u, 16u, 12u, 8u}) hex.insert(dash, 1, '-');
  return "urn:uuid:" + hex;
}

std::string retry_after_seconds(milliseconds wait) {
  return std::to_string(std::max<std::int64_t>(1, (wait.count() + 999) / 1000));
}

}  // namespace

std::span<const ProblemKind> problem_kinds() { return kKinds; }

const ProblemKind& problem_kind(std::string_view code) {
  const auto* found = std::ranges::find(kKinds, code, &ProblemKind::code);
  if (found == std::ranges::end(kKinds)) found = std::ranges::find(kKinds, "BODY_INVALID", &ProblemKind::code);
  return *found;
}

std::string problem_type(std::string_view code) {
  std::string type = "https://semel.dev/problems/";
  for (const char c : code) type += c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return type;
}

Problem problem(std::string_view code, std::string detail) {
  return {.kind = &problem_kind(code), .detail = std::move(detail)};
}

Problem passing_problem(std::string_view code, std::string detail, milliseconds retry_after) {
  return {.kind = &problem_kind(code), .detail = std::move(detail), .retry_after = retry_after};
}

Problem problem_of(const Error& error) {
  switch (error.fault) {
    case Fault::invalid:
      return problem("BODY_INVALID", error.note);
    case Fault::not_found:
      probe::reached<"api.not_found">();
      return problem("NOT_FOUND", error.note);
    case Fault::forbidden:
      return problem("FORBIDDEN", error.note);
    case Fault::conflict:
      return problem("CONFLICT", error.note);
    case Fault::busy:
    case Fault::unavailable:
    case Fault::fenced:
      probe::reached<"api.store_unavailable">();
      return passing_problem("STORE_UNAVAILABLE", "nothing was stored; send it again", kStoreRetry);
    case Fault::timed_out:
    case Fault::unknown_outcome:
      probe::reached<"api.outcome_unknown">();
      return passing_problem("OUTCOME_UNKNOWN", "it may be stored; look before you send it again", kStoreRetry);
    case Fault::corrupt:
      return problem("STORE_CORRUPT", "the operator of this server has to look at its store");
  }
  std::unreachable();
}

Problem member_problem(std::string_view code, std::string_view member, std::string_view note) {
  Problem found = problem(code, std::string(note));
  if (!member.empty()) {
    std::string value;
    append_json_string(value, member);
    found.extras.emplace_back("member", std::move(value));
  }
  return found;
}

void append_problem_members(JsonWriter& json, const Problem& problem) {
  json.member("status", problem.kind->status)
      .member("code", problem.kind->code)
      .member("title", problem.kind->title)
      .member("detail", problem.detail)
      .member("retryable", problem.kind->retryable);
  if (problem.retry_after) json.member("retry_after_ms", problem.retry_after->count());
  for (const auto& [name, value] : problem.extras) json.key(name).raw(value);
}

HttpResponse problem_response(const Problem& problem, Entropy& entropy) {
  const std::string type = problem_type(problem.kind->code);
  JsonWriter json;
  json.object().member("type", type).member("instance", make_instance(entropy));
  append_problem_members(json, problem);
  HttpResponse response{.status = problem.kind->status,
                        .headers = {{"content-type", "application/problem+json"},
                                    {"cache-control", "no-store"},
                                    {"link", "<" + type + ">; rel=\"describedby\""}},
                        .body = json.end().take()};
  if (problem.retry_after) response.headers.emplace_back("retry-after", retry_after_seconds(*problem.retry_after));
  for (const auto& header : problem.headers) response.headers.push_back(header);
  return response;
}

}  // namespace semel::api
