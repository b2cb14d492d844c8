// hunt.h: looks for each planted fault in seed after seed until a checker sees it, to show that the checkers can.
//
// A seed whose world fails without the fault too says nothing about the fault and is passed over.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/planted/planted.h"
#include "sim/run/report.h"
#include "sim/run/workers.h"

namespace semel::sim {

struct Catch {
  std::string checker;
  StoreKind store;
  std::uint64_t seed;
  std::uint64_t after;  // so many seeds, this one included
};

class Hunt {
 public:
  struct Terms {
    std::uint64_t seeds = 2'000;  // on each store
    std::function<void(std::string_view)> print;
  };
  Hunt(std::span<const PlantedFault> faults, Terms terms, Totals& totals);

  // Prints a line for each fault that is caught, then one for each that is not.
  void run(Workers& workers);

 private:
  struct Place {
    StoreKind store;
    std::uint64_t seed;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Quarry {
    const PlantedFault* fault;
    std::uint64_t asked = 0;          // places, in order
    std::set<std::uint64_t> waiting;  // of these, by number
    std::map<std::uint64_t, Violation> seen;
    bool asking_without = false;  // the place of the first one seen is being run without the fault
    std::optional<Catch> caught;
  };

  std::optional<Job> next();
  Job with_fault(Quarry& quarry);
  void judge(Quarry& quarry);
  void ask_without(Quarry& quarry, const Place& at);
  bool has_more(const Quarry& quarry) const;
  Place place(const Quarry& quarry, std::uint64_t number) const;

  Terms terms_;
  Totals& totals_;
  std::vector<Quarry> quarries_;
  std::deque<Job> without_fault_;
  std::map<Place, bool> sound_;  // whether the world passes without a fault, as far as it was asked
};

}  // namespace semel::sim
