// hunt.cc: faults side by side, each through its seeds in order.
#include "sim/run/hunt.h"

#include <fmt/core.h>

#include <algorithm>

namespace semel::sim {

Hunt::Hunt(std::span<const PlantedFault> faults, Terms terms, Totals& totals)
    : terms_(std::move(terms)), totals_(totals) {
  for (const PlantedFault& fault : faults) quarries_.push_back({.fault = &fault});
}

void Hunt::run(Workers& workers) {
  totals_.planted += quarries_.size();
  workers.run([this] { return next(); });
  for (const Quarry& quarry : quarries_)
    if (!quarry.caught)
      terms_.print(fmt::format("{} NOT CAUGHT in {} seeds; expected of {}: {}\n", quarry.fault->name, quarry.asked,
                               quarry.fault->invariant, quarry.fault->breaks));
}

// What nobody works at comes first, so that the workers meet at one fault only when it is the last.
std::optional<Job> Hunt::next() {
  if (!without_fault_.empty()) {
    Job job = std::move(without_fault_.front());
    without_fault_.pop_front();
    return job;
  }
  const auto idle =
      std::ranges::find_if(quarries_, [&](const Quarry& quarry) { return has_more(quarry) && quarry.waiting.empty(); });
  if (idle != quarries_.end()) return with_fault(*idle);
  const auto any = std::ranges::find_if(quarries_, [&](const Quarry& quarry) { return has_more(quarry); });
  if (any != quarries_.end()) return with_fault(*any);
  return std::nullopt;
}

bool Hunt::has_more(const Quarry& quarry) const {
  const std::uint64_t stores = quarry.fault->store == StoreNeeded::any ? 2 : 1;
  return !quarry.caught && quarry.seen.empty() && quarry.asked < stores * terms_.seeds;
}

// Memory first: its worlds are quick.
Hunt::Place Hunt::place(const Quarry& quarry, std::uint64_t number) const {
  const bool on_disk = quarry.fault->store == StoreNeeded::sqlite || number > terms_.seeds;
  return {.store = on_disk ? StoreKind::disk : StoreKind::memory,
          .seed = number > terms_.seeds ? number - terms_.seeds : number};
}

Job Hunt::with_fault(Quarry& quarry) {
  const std::uint64_t number = ++quarry.asked;
  quarry.waiting.insert(number);
  const Place at = place(quarry, number);
  return world_job({.options = draw_options(at.seed, at.store), .planted = quarry.fault->fault},
                   [this, &quarry, number](const Outcome& outcome) {
                     quarry.waiting.erase(number);
                     if (outcome.result.violation) quarry.seen.emplace(number, *outcome.result.violation);
                     judge(quarry);
                   });
}

// The lowest place counts, whichever worker was quicker.
void Hunt::judge(Quarry& quarry) {
  while (!quarry.seen.empty() && !quarry.asking_without && !quarry.caught) {
    const auto& [number, violation] = *quarry.seen.begin();
    if (!quarry.waiting.empty() && *quarry.waiting.begin() < number) return;
    const Place at = place(quarry, number);
    const auto sound = sound_.find(at);
    if (sound == sound_.end()) return ask_without(quarry, at);
    if (!sound->second) {
      quarry.seen.erase(quarry.seen.begin());
      continue;
    }
    quarry.caught = Catch{.checker = violation.checker, .store = at.store, .seed = at.seed, .after = number};
    ++totals_.planted_caught;
    terms_.print(fmt::format("{} caught by {} at seed {} on {} after {} seeds\n", quarry.fault->name, violation.checker,
                             at.seed, name_of(at.store), number));
  }
}

void Hunt::ask_without(Quarry& quarry, const Place& at) {
  quarry.asking_without = true;
  without_fault_.push_back(world_job({.options = draw_options(at.seed, at.store), .planted = std::nullopt},
                                     [this, &quarry, at](const Outcome& outcome) {
                                       const std::optional<Violation>& without = outcome.result.violation;
                                       const bool is_first = sound_.emplace(at, !without).second;
                                       if (without && is_first)
                                         terms_.print(
                                             fmt::format("seed {} on {} fails without a planted fault: {}: {}\n",
                                                         at.seed, name_of(at.store), without->checker, without->text));
                                       quarry.asking_without = false;
                                       judge(quarry);
                                     }));
}

}  // namespace semel::sim
