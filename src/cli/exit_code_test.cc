// exit_code_test.cc: the documented codes.
#include "cli/exit_code.h"

#include <gtest/gtest.h>

namespace semel::cli {
namespace {

TEST(ExitCode, of_a_status_tells_what_a_script_can_do) {
  const struct {
    int status, code;
  } rows[] = {{400, 2}, {401, 4}, {403, 4}, {404, 3}, {405, 2}, {409, 5}, {410, 3}, {413, 2},
              {415, 2}, {422, 5}, {424, 5}, {429, 6}, {500, 1}, {502, 1}, {503, 6}};
  for (const auto& row : rows) EXPECT_EQ(exit_code_of_status(row.status), row.code) << row.status;
}

TEST(ExitCode, of_a_fault_keeps_doubt_apart_from_failure) {
  const struct {
    Fault fault;
    int code;
  } rows[] = {{Fault::invalid, 2}, {Fault::not_found, 3},   {Fault::forbidden, 4}, {Fault::conflict, 5},
              {Fault::busy, 6},    {Fault::unavailable, 6}, {Fault::timed_out, 7}, {Fault::unknown_outcome, 7},
              {Fault::corrupt, 8}, {Fault::fenced, 1}};
  for (const auto& row : rows) EXPECT_EQ(exit_code_of(row.fault), row.code);
}

}  // namespace
}  // namespace semel::cli
