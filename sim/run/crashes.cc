// crashes.cc: shares, and their sum.
#include "sim/run/crashes.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "sim/run/packed.h"

namespace semel::sim {
namespace {

constexpr std::uint64_t kShare = 500;

struct Counted {
  const char* name;
  std::uint64_t RecoveryReport::* member;
};
constexpr std::array<Counted, 13> kCounted{{
    {"recoveries", &RecoveryReport::recoveries},
    {"crashed while opening", &RecoveryReport::crashes_while_opening},
    {"crashed in an operation", &RecoveryReport::crashes_in_operations},
    {"raced checkpoints", &RecoveryReport::raced_checkpoints},
    {"acknowledged", &RecoveryReport::acknowledged},
    {"doubtful", &RecoveryReport::doubtful},
    {"doubtful but present", &RecoveryReport::doubtful_present},
    {"lost", &RecoveryReport::lost},
    {"holes", &RecoveryReport::holes},
    {"corrupt", &RecoveryReport::corrupt},
    {"fences that stood", &RecoveryReport::fences_stood},
    {"wrong answers", &RecoveryReport::wrong_answers},
    {"rules broken", &RecoveryReport::rules_broken},
}};

std::string packed(const RecoveryReport& report) {
  Packer to;
  for (const Counted& counted : kCounted) to.number(report.*counted.member);
  return to.text(report.first_breach).take();
}

void add(RecoveryReport& sum, std::uint64_t seed, std::string_view bytes) {
  Unpacker from(bytes);
  for (const Counted& counted : kCounted) sum.*counted.member += from.number();
  const std::string breach = from.text();
  if (sum.first_breach.empty() && !breach.empty()) sum.first_breach = fmt::format("seed {}: {}", seed, breach);
}

struct Share {
  std::uint64_t seed;
  std::uint64_t count;
};

}  // namespace

RecoveriesDone recover(const RecoveriesWanted& wanted, Workers::Limits limits, const RunRecoveries& run_recoveries) {
  Workers workers(limits, [&](const std::string& order) {
    Unpacker from(order);
    const std::uint64_t seed = from.number();
    return packed(run_recoveries(seed, from.number(), wanted.synchronous));
  });
  RecoveriesDone done;
  std::uint64_t left = wanted.count;
  std::uint64_t seed = wanted.first_seed;
  workers.run([&]() -> std::optional<Job> {
    if (left == 0) return std::nullopt;
    const Share share{.seed = seed++, .count = std::min(left, kShare)};
    left -= share.count;
    return Job{.order = Packer().number(share.seed).number(share.count).take(),
               .then = [&done, share](const Answer& answer) {
                 if (answer.death) return done.deaths.push_back(fmt::format("seed {}: {}", share.seed, *answer.death));
                 add(done.sum, share.seed, answer.said);
               }};
  });
  std::ranges::move(workers.end(), std::back_inserter(done.deaths));
  return done;
}

std::string as_table(const RecoveriesDone& done) {
  std::string text;
  for (const Counted& counted : kCounted)
    text += fmt::format("  {:<24} {:>10}\n", counted.name, done.sum.*counted.member);
  if (!done.sum.first_breach.empty()) text += fmt::format("  first breach, {}\n", done.sum.first_breach);
  for (const std::string& death : done.deaths) text += fmt::format("  died, {}\n", death);
  return text;
}

}  // namespace semel::sim
