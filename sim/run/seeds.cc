// seeds.cc: dealing worlds out and judging what comes back.
#include "sim/run/seeds.h"

#include <fmt/core.h>

#include <algorithm>

namespace semel::sim {

void Seeds::run(Workers& workers, const std::function<std::optional<SeedToRun>()>& next) {
  workers.run([&]() -> std::optional<Job> {
    if (!to_run_again_.empty()) {
      std::shared_ptr<Twice> twice = std::move(to_run_again_.front());
      to_run_again_.pop_front();
      return again(std::move(twice));
    }
    std::optional<SeedToRun> seed = next();
    if (!seed) return std::nullopt;
    return first_time(*std::move(seed));
  });
}

Job Seeds::first_time(SeedToRun seed) {
  if (seed.options.seed % kTwiceEvery != 0)
    return world_job({.options = seed.options, .planted = seed.planted},
                     [this, seed](const Outcome& outcome) { count(seed, outcome); });
  const auto twice = std::make_shared<Twice>(Twice{.seed = std::move(seed), .first_hash = std::nullopt});
  to_run_again_.push_back(twice);
  return world_job({.options = twice->seed.options, .planted = twice->seed.planted},
                   [this, twice](const Outcome& outcome) {
                     count(twice->seed, outcome);
                     compare(*twice, outcome.result.hash);
                   });
}

Job Seeds::again(std::shared_ptr<Twice> twice) {
  return world_job({.options = twice->seed.options, .planted = twice->seed.planted},
                   [this, twice](const Outcome& outcome) { compare(*twice, outcome.result.hash); });
}

void Seeds::compare(Twice& twice, std::uint64_t hash) {
  if (!twice.first_hash) {
    twice.first_hash = hash;
    return;
  }
  if (*twice.first_hash == hash) return;
  fail(twice.seed, {.checker = "I-DETERMINISM",
                    .text = fmt::format("two runs ended with the hashes {:016x} and {:016x}", *twice.first_hash, hash),
                    .at = {}});
}

void Seeds::count(const SeedToRun& seed, const Outcome& outcome) {
  ++(seed.cause_kept.empty() ? totals_.seeds : totals_.kept);
  totals_.add(outcome);
  if (outcome.result.violation) fail(seed, *outcome.result.violation);
  output_.after_each();
}

void Seeds::fail(const SeedToRun& seed, const Violation& violation) {
  ++totals_.failed;
  const Failure failure{
      .options = seed.options, .planted = seed.planted, .violation = violation, .cause_kept = seed.cause_kept};
  output_.print(++failures_ <= kFailuresInFull ? in_full(failure, output_.printed)
                                               : in_one_line(failure, output_.printed));
}

std::optional<Options> SeedRange::next() {
  const bool memory_left = given_.memory < counts_.memory;
  const bool disk_left = given_.disk < counts_.disk;
  if (!memory_left && !disk_left) return std::nullopt;
  const std::uint64_t memory_per_disk = counts_.disk > 0 ? counts_.memory / counts_.disk : 0;
  if (disk_left && (!memory_left || given_.disk * memory_per_disk <= given_.memory))
    return draw_options(from_ + given_.disk++, StoreKind::disk);
  return draw_options(from_ + given_.memory++, StoreKind::memory);
}

}  // namespace semel::sim
