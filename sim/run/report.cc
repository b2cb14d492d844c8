// report.cc: sums and lines.
#include "sim/run/report.h"

#include <fmt/format.h>

#include "base/probe.h"
#include "sim/planted/planted.h"
#include "sim/run/arguments.h"

namespace semel::sim {
namespace {

std::int64_t hours(std::int64_t ms) { return ms / 3'600'000; }

std::string virtual_time(MonotonicTime at) {
  const std::int64_t ms = at.ns / 1'000'000;
  return fmt::format("{}.{:03} s", ms / 1'000, ms % 1'000);
}

// Continuation lines stand below the first one.
std::string indented(std::string text) {
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
    text.replace(at, 1, "\n            ");
  return text;
}

}  // namespace

void Totals::add(const Outcome& outcome) {
  simulated_ms += outcome.result.simulated_ms;
  busy_hours += outcome.result.busy_hours;
  crashes += outcome.result.crashes;
  recoveries += outcome.result.recoveries;
  probes_hit.insert(outcome.newly_hit.begin(), outcome.newly_hit.end());
}

std::string as_json(const Totals& totals) {
  return fmt::format(R"({{"seeds":{},"failed":{},"simulated_hours":{},"busy_hours":{},"crashes":{},"recoveries":{},)"
                     R"("probes_hit":{},"probes":{},"planted":{},"planted_caught":{}}})",
                     totals.seeds, totals.failed, hours(totals.simulated_ms), totals.busy_hours, totals.crashes,
                     totals.recoveries, totals.probes_hit.size(), probe::Mark::all().size(), totals.planted,
                     totals.planted_caught);
}

std::string as_table(const Totals& totals) {
  std::string text;
  const auto line = [&](std::string_view name, auto value) { text += fmt::format("  {:<16} {:>10}\n", name, value); };
  if (totals.kept > 0) line("kept seeds", totals.kept);
  if (totals.seeds > 0) line("seeds", totals.seeds);
  line("failed", totals.failed);
  if (totals.seeds + totals.kept > 0) {
    line("simulated hours", hours(totals.simulated_ms));
    line("busy hours", totals.busy_hours);
    line("probes hit", fmt::format("{}/{}", totals.probes_hit.size(), probe::Mark::all().size()));
  }
  if (totals.crashes > 0) line("crashes", totals.crashes);
  if (totals.recoveries > 0) line("recoveries", totals.recoveries);
  if (totals.planted > 0) line("planted caught", fmt::format("{}/{}", totals.planted_caught, totals.planted));
  return text;
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view more) {
  return fmt::format("{} {}", number, number == 1 ? one : more);
}

std::string probe_table(const Totals& totals) {
  std::string text;
  for (const probe::Mark* mark : probe::Mark::all())
    text += fmt::format("  {:<6} {}\n", totals.probes_hit.contains(std::string(mark->name())) ? "hit" : "never",
                        mark->name());
  return text;
}

std::vector<std::string> probes_never_hit(const Totals& totals) {
  std::vector<std::string> names;
  for (const probe::Mark* mark : probe::Mark::all())
    if (!totals.probes_hit.contains(std::string(mark->name()))) names.emplace_back(mark->name());
  return names;
}

std::string replaying(const Options& options, std::optional<Planted> planted, const Printed& printed) {
  std::string text = fmt::format("{} {}", printed.command, arguments_of(options));
  if (planted) text += fmt::format(" --planted {}", planted_faults()[static_cast<std::size_t>(*planted)].name);
  return text;
}

std::string in_full(const Failure& failure, const Printed& printed) {
  std::string text = fmt::format("FAILED seed {} on {}: {}\n", failure.options.seed, name_of(failure.options.store),
                                 failure.violation.checker);
  const auto line = [&](std::string_view name, std::string_view value) {
    text += fmt::format("  {:<9} {}\n", name, indented(std::string(value)));
  };
  line("said", failure.violation.text);
  if (failure.violation.checker != kDied) line("at", virtual_time(failure.violation.at) + " of virtual time");
  if (!failure.cause_kept.empty()) line("was kept", failure.cause_kept);
  line("commit", printed.commit);
  line("options", describe(failure.options));
  const std::string again = replaying(failure.options, failure.planted, printed);
  line("replay", again + " --trace");
  line("shrink", again + " --shrink");
  return text;
}

std::string in_one_line(const Failure& failure, const Printed& printed) {
  const std::string& said = failure.violation.text;
  return fmt::format("FAILED seed {} on {}: {}: {} | {}\n", failure.options.seed, name_of(failure.options.store),
                     failure.violation.checker, said.substr(0, said.find('\n')),
                     replaying(failure.options, failure.planted, printed));
}

}  // namespace semel::sim
