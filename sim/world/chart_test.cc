// chart_test.cc: what a person gets to read.
#include "sim/world/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/core.h>

namespace semel::sim {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kFirst = "evt_0123456789abcdef0123456789abcdef";
constexpr std::string_view kSecond = "evt_0123456789abcdef0123456789abcdee";
constexpr std::string_view kEndpoint = "ep_0123456789abcdef0123456789abcdef";

MonotonicTime at_ms(std::int64_t ms) { return MonotonicTime{ms * 1'000'000}; }

Chart kept() {
  Chart chart;
  chart.keep(1'000);
  return chart;
}

TEST(Chart, draws_lanes_from_producers_to_faults_with_short_names_for_ids) {
  Chart chart = kept();
  chart.add(at_ms(1'250), "fault", "", "cut #3");
  chart.add(at_ms(1'500), "server", "receiver1", fmt::format("{} attempt 1", kFirst));
  chart.add(at_ms(1'501), "receiver1", "server", fmt::format("200 {}", kFirst));
  chart.add(at_ms(61'000), "producer1", "server", "submits");
  chart.add_violation(at_ms(61'001), "I-PARK", fmt::format("{} for {} is gone", kSecond, kEndpoint));
  EXPECT_EQ(chart.draw(),
            "       seconds  producer1  server   receiver1  fault    \n"
            "         1.250  |          |        |          *         cut #3\n"
            "         1.500  |          |------->|          |         e1 attempt 1\n"
            "         1.501  |          |<-------|          |         200 e1\n"
            "        61.000  |--------->|        |          |         submits\n"
            "        61.001  ===== I-PARK: e2 for p1 is gone\n"
            "e2 is evt_0123456789abcdef0123456789abcdee\n"
            "p1 is ep_0123456789abcdef0123456789abcdef\n");
}

TEST(Chart, tells_of_a_long_story_what_the_violation_speaks_of_the_faults_and_the_end) {
  Chart chart = kept();
  for (int i = 0; i < 30; ++i) chart.add(at_ms(i), "server", "", fmt::format("earlier {}", i));
  chart.add(at_ms(30), "store", "", fmt::format("stores {}", kFirst));
  chart.add(at_ms(31), "store", "", fmt::format("stores {}", kSecond));
  chart.add(at_ms(32), "fault", "", "dns #1");
  for (int i = 0; i < 30; ++i) chart.add(at_ms(33 + i), "server", "", fmt::format("later {}", i));
  chart.add_violation(at_ms(100), "I-PARK", fmt::format("{} is gone after 31 ms", kSecond));
  const std::string text = chart.draw();
  EXPECT_THAT(text, HasSubstr("..  (left out, about other things: 31)\n"));
  EXPECT_THAT(text, HasSubstr("stores e2"));
  EXPECT_THAT(text, Not(HasSubstr("stores e1")));
  EXPECT_THAT(text, HasSubstr("dns #1"));
  EXPECT_THAT(text, HasSubstr("later 21"));
  EXPECT_THAT(text, Not(HasSubstr("later 20")));
}

TEST(Chart, remembers_the_last_lines_only_and_none_when_nobody_asked) {
  Chart chart;
  chart.add(at_ms(1), "server", "", "unheard");
  EXPECT_EQ(chart.draw(), "       seconds  \n");
  chart.keep(2);
  for (const std::string what : {"first", "second", "third"}) chart.add(at_ms(1), "server", "", what);
  EXPECT_THAT(chart.draw(), Not(HasSubstr("first")));
  EXPECT_THAT(chart.draw(), HasSubstr("second"));
}

}  // namespace
}  // namespace semel::sim
