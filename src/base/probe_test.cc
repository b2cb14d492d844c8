// probe_test.cc: marks are known before they are passed.
#include "base/probe.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace semel::probe {
namespace {

const Mark* find(std::string_view name) {
  const auto marks = Mark::all();
  const auto at = std::ranges::find(marks, name, &Mark::name);
  return at == marks.end() ? nullptr : *at;
}

void never_called() { reached<"probe_test.never">(); }

TEST(Probe, a_mark_that_was_never_passed_is_listed_and_not_hit) {
  void (*volatile linked)() = &never_called;
  ASSERT_NE(linked, nullptr);
  ASSERT_NE(find("probe_test.never"), nullptr);
  EXPECT_FALSE(find("probe_test.never")->was_hit());
}

TEST(Probe, a_mark_is_hit_once_it_was_passed) {
  ASSERT_NE(find("probe_test.sometimes"), nullptr);
  sometimes<"probe_test.sometimes">(false);
  EXPECT_FALSE(find("probe_test.sometimes")->was_hit());
  sometimes<"probe_test.sometimes">(true);
  EXPECT_TRUE(find("probe_test.sometimes")->was_hit());
}

}  // namespace
}  // namespace semel::probe
