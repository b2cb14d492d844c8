// shrink.cc: smaller and smaller worlds.
#include "sim/shrink/shrink.h"

#include <algorithm>
#include <utility>

namespace semel::sim {
namespace {

// Finds few of `items` for which `fails` still holds, by leaving out halves, then quarters and so on down to single
// ones (delta debugging).
template <class T, class Fails>
void leave_out(std::vector<T> items, Fails fails) {
  std::size_t part = items.size();
  while (part > 0) {
    bool helped = false;
    for (std::size_t begin = 0; begin < items.size();) {
      std::vector<T> fewer = items;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(begin),
                  fewer.begin() + static_cast<std::ptrdiff_t>(std::min(begin + part, items.size())));
      if (fails(fewer)) {
        items = std::move(fewer);
        helped = true;
      } else {
        begin += part;
      }
    }
    if (part > 1)
      part = (part + 1) / 2;
    else if (!helped)
      part = 0;
  }
}

constexpr std::size_t kFewEvents = 12;
constexpr std::size_t kFewFaults = 3;
constexpr std::uint64_t kSeedsARound = 12;
constexpr std::uint64_t kRounds = 10;

// Small worlds have few occasions; they get a fault at more of them.
Faults::Rates raised(Faults::Rates rates) {
  for (PerMillion& rate : rates) rate.parts = std::max(rate.parts, std::min(rate.parts * 5, percent(20).parts));
  return rates;
}

class Shrinker {
 public:
  Shrinker(const Options& failing, const TryWorld& try_world, const std::function<bool()>& time_is_up)
      : try_world_(try_world), time_is_up_(time_is_up), first_(failing) {
    smallest_.options = failing;
    smallest_.worlds = 1;
    smallest_.tried = try_world(failing);
    if (smallest_.tried.violation) checker_ = smallest_.tried.violation->checker;
  }

  Shrunk shrink() {
    if (!smallest_.tried.violation) return smallest_;
    Shrunk best = smallest_;
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      if (find_small(round) || round == 0) cut_down();
      if (weight(smallest_) < weight(best)) best = smallest_;
      if (is_small(best) || time_is_up_()) break;
    }
    best.worlds = smallest_.worlds;
    return best;
  }

 private:
  static bool is_small(const Shrunk& world) {
    return world.tried.events <= kFewEvents && world.tried.struck.size() <= kFewFaults;
  }
  static std::pair<std::size_t, std::size_t> weight(const Shrunk& world) {
    return {world.tried.events + 4 * world.tried.struck.size(), describe(world.options).size()};
  }

  bool keep_if_it_fails(const Options& candidate) {
    if (time_is_up_()) return false;
    ++smallest_.worlds;
    Tried tried = try_world_(candidate);
    if (!tried.violation || tried.violation->checker != checker_) return false;
    smallest_.options = candidate;
    smallest_.tried = std::move(tried);
    helped_ = true;
    return true;
  }

  // A world of few events at other seeds, with all the faults of the first one.
  bool find_small(std::uint64_t round) {
    for (const std::uint32_t events : {1u, 2u, 4u, 8u, 12u}) {
      if (events >= first_.events) return false;
      for (std::uint64_t seed = 1 + round * kSeedsARound; seed <= (round + 1) * kSeedsARound; ++seed) {
        Options candidate = first_;
        candidate.seed = seed;
        candidate.events = events;
        if (seed % 2 == 0) candidate.rates = raised(first_.rates);
        if (keep_if_it_fails(candidate)) return true;
        for (const Number& number : numbers())
          if (number.member != &Options::events) candidate.*number.member = number.least;
        if (keep_if_it_fails(candidate)) return true;
      }
    }
    return false;
  }

  void cut_down() {
    do {
      helped_ = false;
      fewer_classes();
      fewer_faults();
      fewer_flags();
      fewer_numbers();
      shorter();
      simpler_order();
    } while (helped_);
    name_only_what_strikes();
  }

  void fewer_classes() {
    if (smallest_.options.mask.only) return;  // fewer_faults() has seen to them
    std::vector<FaultClass> classes;
    for (int i = 0; i < kFaultClasses; ++i) {
      const auto fault = static_cast<FaultClass>(i);
      if (smallest_.options.rates[static_cast<std::size_t>(i)].parts > 0 &&
          !smallest_.options.mask.classes.contains(fault))
        classes.push_back(fault);
    }
    leave_out(classes, [&](const std::vector<FaultClass>& kept) {
      Options candidate = smallest_.options;
      for (const FaultClass fault : classes)
        if (std::ranges::find(kept, fault) == kept.end()) candidate.mask.classes.insert(fault);
      return keep_if_it_fails(candidate);
    });
  }

  void fewer_faults() {
    std::vector<std::pair<FaultClass, std::uint64_t>> struck;
    for (const Struck& one : smallest_.tried.struck) struck.emplace_back(one.fault, one.number);
    leave_out(struck, [&](const auto& kept) {
      Options candidate = smallest_.options;
      candidate.mask = {.only = FaultMask::Singles(kept.begin(), kept.end())};
      return keep_if_it_fails(candidate);
    });
  }

  void fewer_flags() {
    for (const Flag& flag : flags()) {
      if (!(smallest_.options.*flag.member)) continue;
      Options candidate = smallest_.options;
      candidate.*flag.member = false;
      keep_if_it_fails(candidate);
    }
  }

  void fewer_numbers() {
    for (const Number& number : numbers())
      lower(number.least, smallest_.options.*number.member,
            [&](Options& candidate, std::uint32_t value) { candidate.*number.member = value; });
  }

  void shorter() {
    for (const Length& length : lengths())
      lower(milliseconds(1'000), smallest_.options.*length.member,
            [&](Options& candidate, milliseconds value) { candidate.*length.member = value; });
  }

  // Drops from the options what the list of single faults has made idle.
  void name_only_what_strikes() {
    if (!smallest_.options.mask.only) return;
    Options candidate = smallest_.options;
    candidate.mask = {.only = smallest_.options.mask.only};
    for (int i = 0; i < kFaultClasses; ++i) {
      const auto is_of = [&](const auto& single) { return single.first == static_cast<FaultClass>(i); };
      if (std::ranges::none_of(*candidate.mask.only, is_of)) candidate.rates[static_cast<std::size_t>(i)] = {};
    }
    if (candidate.mask.only->empty()) candidate.mask.only.reset();
    keep_if_it_fails(candidate);
  }

  // The least value, or else one half way between a value that is too low and one that fails, as long as that helps.
  template <class Value, class Set>
  void lower(Value too_low, Value fails, Set set) {
    const auto try_value = [&](Value value) {
      Options candidate = smallest_.options;
      set(candidate, value);
      return keep_if_it_fails(candidate);
    };
    if (fails <= too_low || try_value(too_low)) return;
    for (Value value = too_low + (fails - too_low) / 2; value > too_low && value < fails;
         value = too_low + (fails - too_low) / 2)
      (try_value(value) ? fails : too_low) = value;
  }

  void simpler_order() {
    if (smallest_.options.order == Order::fifo) return;
    Options candidate = smallest_.options;
    candidate.order = Order::fifo;
    keep_if_it_fails(candidate);
  }

  const TryWorld& try_world_;
  const std::function<bool()>& time_is_up_;
  const Options first_;
  Shrunk smallest_;
  std::string checker_;
  bool helped_ = false;
};

}  // namespace

Shrunk shrink(const Options& failing, const TryWorld& try_world, const std::function<bool()>& time_is_up) {
  return Shrinker(failing, try_world, time_is_up).shrink();
}

}  // namespace semel::sim
