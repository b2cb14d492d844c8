// problem_test.cc: the registry and the shape of every problem.
#include "api/problem.h"

#include <gtest/gtest.h>

#include <set>

namespace semel::api {
namespace {

std::string header(const HttpResponse& response, std::string_view name) {
  for (const auto& [header_name, value] : response.headers)
    if (header_name == name) return value;
  return "";
}

TEST(ProblemRegistry, has_each_code_once_in_upper_case_with_a_title_and_an_error_status) {
  std::set<std::string_view> codes;
  for (const ProblemKind& kind : problem_kinds()) {
    EXPECT_TRUE(codes.insert(kind.code).second) << kind.code;
    EXPECT_EQ(kind.code.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_"), std::string_view::npos) << kind.code;
    EXPECT_FALSE(kind.title.empty()) << kind.code;
    EXPECT_GE(kind.status, 400) << kind.code;
  }
}

TEST(ProblemRegistry, calls_retryable_only_what_may_succeed_unchanged) {
  std::set<std::string_view> retryable;
  for (const ProblemKind& kind : problem_kinds())
    if (kind.retryable) retryable.insert(kind.code);
  EXPECT_EQ(retryable,
            (std::set<std::string_view>{"OUTCOME_UNKNOWN", "OVERLOADED", "PREDECESSOR_REFUSED", "STORE_UNAVAILABLE"}));
}

TEST(ProblemRegistry, answers_an_unregistered_code_as_a_bad_body) {
  EXPECT_EQ(problem_kind("NO_SUCH_CODE").code, "BODY_INVALID");
}

TEST(Problem, has_an_absolute_type_in_kebab_case) {
  EXPECT_EQ(problem_type("SEQUENCE_GAP"), "https://semel.dev/problems/sequence-gap");
}

TEST(Problem, carries_every_member_and_header_of_the_contract) {
  SeededRandom random(1);
  Problem found = passing_problem("OVERLOADED", "later", milliseconds(1'200));
  found.extras.emplace_back("expected", "7");
  const HttpResponse response = problem_response(found, random);
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(header(response, "content-type"), "application/problem+json");
  EXPECT_EQ(header(response, "cache-control"), "no-store");
  EXPECT_EQ(header(response, "retry-after"), "2");
  EXPECT_EQ(header(response, "link"), "<https://semel.dev/problems/overloaded>; rel=\"describedby\"");
  const Result<JsonDocument> document = parse_json(response.body);
  ASSERT_TRUE(document);
  const JsonValue root = document->root();
  EXPECT_EQ(root.find("type")->text(), "https://semel.dev/problems/overloaded");
  EXPECT_EQ(root.find("title")->text(), "Too many deliveries are waiting to be sent");
  EXPECT_EQ(root.find("status")->integer(), 503);
  EXPECT_EQ(root.find("detail")->text(), "later");
  EXPECT_EQ(root.find("code")->text(), "OVERLOADED");
  EXPECT_EQ(root.find("retryable")->raw(), "true");
  EXPECT_EQ(root.find("retry_after_ms")->integer(), 1'200);
  EXPECT_EQ(root.find("expected")->integer(), 7);
  const std::string_view instance = root.find("instance")->text();
  EXPECT_EQ(instance.size(), 45u);
  EXPECT_EQ(instance.substr(0, 9), "urn:uuid:");
  EXPECT_EQ(instance[23], '4');
}

TEST(Problem, of_an_error_says_what_the_caller_can_do) {
  const struct {
    Fault fault;
    int status;
    std::string_view code;
    bool retry_after;
  } rows[] = {
      {Fault::invalid, 400, "BODY_INVALID", false},
      {Fault::not_found, 404, "NOT_FOUND", false},
      {Fault::forbidden, 403, "FORBIDDEN", false},
      {Fault::conflict, 409, "CONFLICT", false},
      {Fault::fenced, 503, "STORE_UNAVAILABLE", true},
      {Fault::busy, 503, "STORE_UNAVAILABLE", true},
      {Fault::unavailable, 503, "STORE_UNAVAILABLE", true},
      {Fault::timed_out, 503, "OUTCOME_UNKNOWN", true},
      {Fault::unknown_outcome, 503, "OUTCOME_UNKNOWN", true},
      {Fault::corrupt, 500, "STORE_CORRUPT", false},
  };
  for (const auto& row : rows) {
    const Problem found = problem_of(Error{row.fault, "note"});
    EXPECT_EQ(found.kind->code, row.code);
    EXPECT_EQ(found.kind->status, row.status) << row.code;
    EXPECT_EQ(found.retry_after.has_value(), row.retry_after) << row.code;
  }
}

}  // namespace
}  // namespace semel::api
