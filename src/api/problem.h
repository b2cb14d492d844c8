// problem.h: every way in which a request can fail, in one registry, and its answer (RFC 9457).
//
// Contract: a code is never renamed and never changes its status; clients act on `status` and `code`, people read
//           `title` and `detail`. Nothing of the caller's data, no key and no secret stands in an answer.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "port/entropy.h"
#include "port/serve.h"

namespace semel::api {

struct ProblemKind {
  std::string_view code;
  int status;
  std::string_view title;
  bool retryable;  // the same request may be sent again unchanged, and may then succeed
};

std::span<const ProblemKind> problem_kinds();
// A code that is not registered answers as BODY_INVALID: a request must not be able to stop the process.
const ProblemKind& problem_kind(std::string_view code);
// https://semel.dev/problems/ and the code in kebab-case.
std::string problem_type(std::string_view code);

struct Problem {
  const ProblemKind* kind;
  std::string detail;
  std::optional<milliseconds> retry_after = std::nullopt;
  // Further members: a name and a JSON value.
  std::vector<std::pair<std::string, std::string>> extras = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};

Problem problem(std::string_view code, std::string detail);
// One that passes by itself: carries Retry-After.
Problem passing_problem(std::string_view code, std::string detail, milliseconds retry_after);
// What a failed call of the engine or the store means for the caller.
Problem problem_of(const Error& error);
// An error in the body, as the readers in core name it; `member` is a JSON pointer or a name, or empty.
Problem member_problem(std::string_view code, std::string_view member, std::string_view note);

HttpResponse problem_response(const Problem& problem, Entropy& entropy);
// The members status, code, title, detail, retryable and the extras, into an object that is open: an item of a batch.
void append_problem_members(JsonWriter& json, const Problem& problem);

// What a handler returns; the problem becomes an answer in one place.
using Answer = std::expected<HttpResponse, Problem>;
template <class T>
using Answered = std::expected<T, Problem>;

inline std::unexpected<Problem> refuse(std::string_view code, std::string detail) {
  return std::unexpected(problem(code, std::move(detail)));
}
inline std::unexpected<Problem> refuse(const Error& error) { return std::unexpected(problem_of(error)); }

}  // namespace semel::api
