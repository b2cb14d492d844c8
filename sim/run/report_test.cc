// report_test.cc: what is printed at the end and when something fails.
#include "sim/run/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/probe.h"

namespace semel::sim {
namespace {

using testing::HasSubstr;

Failure failure() {
  return {.options = draw_options(17, StoreKind::disk),
          .planted = std::nullopt,
          .violation = {.checker = "I-PARK", .text = "gone\nfor good", .at = MonotonicTime{1'002'003'000'000}},
          .cause_kept = {}};
}

TEST(Report, the_totals_are_one_line_of_json) {
  Totals totals{.seeds = 110, .kept = 3, .failed = 2, .busy_hours = 40, .crashes = 5, .recoveries = 4};
  totals.simulated_ms = 2 * 3'600'000 + 3'599'999;
  totals.planted = 40;
  totals.planted_caught = 39;
  const std::string probes = std::to_string(probe::Mark::all().size());
  EXPECT_EQ(as_json(totals),
            R"({"seeds":110,"failed":2,"simulated_hours":2,"busy_hours":40,"crashes":5,"recoveries":4,)"
            R"("probes_hit":0,"probes":)" +
                probes + R"(,"planted":40,"planted_caught":39})");
}

TEST(Report, the_table_is_about_what_was_run) {
  EXPECT_EQ(as_table({.failed = 1, .planted = 3, .planted_caught = 2}),
            "  failed                    1\n"
            "  planted caught          2/3\n");
  EXPECT_THAT(as_table({.seeds = 7}), HasSubstr("  seeds                     7\n"));
}

TEST(Report, worlds_add_up_and_a_probe_hit_by_two_processes_counts_once) {
  Totals totals;
  const WorldResult result{.hash = 1, .simulated_ms = 10, .busy_hours = 2, .crashes = 3, .recoveries = 1};
  totals.add({.result = result, .newly_hit = {"a.b", "c.d"}});
  totals.add({.result = result, .newly_hit = {"a.b"}});
  EXPECT_EQ(totals.simulated_ms, 20);
  EXPECT_EQ(totals.busy_hours, 4u);
  EXPECT_EQ(totals.crashes, 6u);
  EXPECT_EQ(totals.recoveries, 2u);
  EXPECT_EQ(totals.probes_hit, (std::set<std::string>{"a.b", "c.d"}));
}

TEST(Report, a_failure_says_all_that_is_needed_to_see_it_again) {
  const std::string text = in_full(failure(), {.command = "./dev sim", .commit = "abc123"});
  EXPECT_THAT(text, HasSubstr("FAILED seed 17 on disk: I-PARK\n"));
  EXPECT_THAT(text, HasSubstr("gone\n            for good\n"));
  EXPECT_THAT(text, HasSubstr("1002.003 s of virtual time"));
  EXPECT_THAT(text, HasSubstr("abc123"));
  EXPECT_THAT(text, HasSubstr(describe(draw_options(17, StoreKind::disk))));
  EXPECT_THAT(text, HasSubstr("./dev sim --seed 17 --store disk --trace\n"));
  EXPECT_THAT(text, HasSubstr("./dev sim --seed 17 --store disk --shrink\n"));
}

TEST(Report, the_command_of_a_planted_fault_names_it) {
  Failure planted = failure();
  planted.planted = Planted::new_id_per_retry;
  EXPECT_THAT(in_full(planted, {}), HasSubstr("--seed 17 --store disk --planted new_id_per_retry --trace"));
}

TEST(Report, in_one_line_is_in_one_line) {
  EXPECT_EQ(in_one_line(failure(), {.command = "./dev sim", .commit = "abc123"}),
            "FAILED seed 17 on disk: I-PARK: gone | ./dev sim --seed 17 --store disk\n");
}

}  // namespace
}  // namespace semel::sim
