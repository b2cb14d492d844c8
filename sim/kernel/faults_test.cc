// faults_test.cc: a fault can be left out and the others stay as they were.
#include "sim/kernel/faults.h"

#include <gtest/gtest.h>

#include <vector>

#include "sim/kernel/testing/only.h"

namespace semel::sim {
namespace {

Faults::Rates half_of(FaultClass fault) { return only(fault, percent(50)); }

struct Occasion {
  std::uint64_t number;
  std::uint64_t detail;
  friend bool operator==(const Occasion&, const Occasion&) = default;
};
std::vector<Occasion> hundred(Faults faults) {
  std::vector<Occasion> struck;
  for (std::uint64_t n = 1; n <= 100; ++n)
    if (auto details = faults.strike(FaultClass::cut)) struck.push_back({n, details->next()});
  return struck;
}

TEST(Faults, the_same_seed_strikes_the_same_occasions_with_the_same_details) {
  const auto once = hundred(Faults(7, half_of(FaultClass::cut), {}));
  EXPECT_EQ(once, hundred(Faults(7, half_of(FaultClass::cut), {})));
  EXPECT_NE(once, hundred(Faults(8, half_of(FaultClass::cut), {})));
  EXPECT_GT(once.size(), 30u);
  EXPECT_LT(once.size(), 70u);
}

TEST(Faults, one_left_out_changes_no_other) {
  auto all = hundred(Faults(7, half_of(FaultClass::cut), {}));
  const auto without =
      hundred(Faults(7, half_of(FaultClass::cut), {.classes = {}, .single = {{FaultClass::cut, all[3].number}}}));
  all.erase(all.begin() + 3);
  EXPECT_EQ(without, all);
}

TEST(Faults, a_class_left_out_never_strikes_and_nothing_strikes_after_healing) {
  EXPECT_TRUE(hundred(Faults(7, half_of(FaultClass::cut), {.classes = {FaultClass::cut}, .single = {}})).empty());
  Faults faults(7, half_of(FaultClass::cut), {});
  faults.heal();
  EXPECT_TRUE(hundred(std::move(faults)).empty());
}

TEST(Faults, with_some_named_as_the_only_ones_nothing_else_strikes) {
  const auto all = hundred(Faults(7, half_of(FaultClass::cut), {}));
  const FaultMask mask{.only = FaultMask::Singles{{FaultClass::cut, all[3].number}, {FaultClass::drip, 1}}};
  EXPECT_EQ(hundred(Faults(7, half_of(FaultClass::cut), mask)), std::vector{all[3]});
}

TEST(Faults, every_class_has_a_name_of_its_own) {
  for (int i = 0; i < kFaultClasses; ++i)
    EXPECT_EQ(fault_class_named(name_of(static_cast<FaultClass>(i))), static_cast<FaultClass>(i));
}

}  // namespace
}  // namespace semel::sim
